import type { Observation } from './observation.ts';

/** The line of a name whose time has come. Nobody asked for it at that moment: who set the time is in the line of the put or the expire. */
export function expiredFrame(tenant: string, name: string): Observation {
  return {
    event: 'audit',
    action: 'frame.expired',
    outcome: 'done',
    reason: null,
    detail: null,
    tenant,
    caller: null,
    frame: name,
    statement: null,
    remote: null,
    requestId: null,
  };
}
