import type { Manifest } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { onLive } from '../../server/live.ts';
import { href, navigate } from '../../shell/router.ts';
import { Icon } from '../../ui/icon.tsx';
import { isPinned } from './handles.ts';

/** Says that there is a newer version, or that the name is gone. The rows on the page stay as they are. */
export function NewerVersion({
  manifest: { name, version },
  handle,
  onShow,
}: {
  readonly manifest: Manifest;
  readonly handle: string;
  readonly onShow: () => void;
}) {
  const newest = useSignal(version);
  const ended = useSignal<'dropped' | 'expired' | null>(null);
  useEffect(
    () =>
      onLive((event) => {
        if (!('name' in event) || event.name !== name) return;
        if (event.kind === 'frame.dropped') ended.value = 'dropped';
        else if (event.kind === 'frame.expired') ended.value = 'expired';
        else {
          ended.value = null;
          newest.value = Math.max(newest.peek(), event.version ?? 0);
        }
      }),
    [name],
  );
  if (ended.value !== null) {
    return (
      <div class="frame-news is-ended" role="status">
        <Icon name="warning" size={14} /> {name} has been {ended.value}. Rows that are not on the page any
        more can no longer be read.
      </div>
    );
  }
  if (newest.value === version) return null;
  return (
    <div class="frame-news" role="status">
      <Icon name="refresh" size={14} /> Version {newest.value} is newer.
      <button
        type="button"
        class="text-button"
        onClick={() => (isPinned(handle) ? navigate(href('frames', name)) : onShow())}
      >
        Show
      </button>
    </div>
  );
}
