import { channel } from 'node:diagnostics_channel';

/**
 * The moments at which a change has completed a step on its way to the disk. A test that wants to see what a crash leaves
 * there subscribes to the channel. A running server has no subscriber, so announcing costs a look at a flag.
 * Each name says what has just happened.
 */
export const failpoints = [
  'start:layout-staged',
  'start:locked',
  'start:swept',
  'put:staged',
  'put:written',
  'put:received',
  'put:decoded',
  'put:synced',
  'put:checked',
  'put:published',
  'put:committed',
  'result:written',
  'result:copied',
  'result:examined',
  'result:published',
  'result:committed',
  'result:removed',
  'append:reconciled',
  'append:converted',
  'append:renumbered',
  'transcode:begun',
  'transcode:written',
  'transcode:adopted',
  'transcode:recorded',
  'transcode:refused',
  'compact:begun',
  'compact:written',
  'compact:published',
  'compact:recorded',
  'evict:chosen',
  'evict:recorded',
  'expire:recorded',
  'drop:recorded',
  'undrop:recorded',
  'restore:recorded',
  'dropped:released',
  'sweep:expired',
  'sweep:pruned',
  'sweep:recorded',
  'collect:removed',
  'collect:forgotten',
  'catalog:changed',
  'catalog:synced',
] as const;

export type Failpoint = (typeof failpoints)[number];

/** Each thread has its own: subscribers get what their thread announces. */
export const failpointChannel = 'framehold:failpoint';
const announcements = channel(failpointChannel);

export function announce(step: Failpoint): void {
  if (announcements.hasSubscribers) announcements.publish(step);
}
