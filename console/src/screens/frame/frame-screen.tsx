import './frame.css';
import type { Manifest } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { api } from '../../api.ts';
import type { Route } from '../../route.ts';
import { href } from '../../router.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Loading } from '../../ui/spinner.tsx';
import { TabLinks } from '../../ui/tabs.tsx';
import { FrameState } from './frame-state.ts';
import { RowsTab } from './rows-tab.tsx';

export function FrameScreen({ route }: ScreenProps) {
  const handle = route.handle ?? '';
  const manifest = useSignal<Manifest | null>(null);
  const failure = useSignal<unknown>(null);
  const tries = useSignal(0);
  useEffect(() => {
    const request = new AbortController();
    failure.value = null;
    api.frames
      .get(handle, { signal: request.signal })
      .then((found) => {
        manifest.value = found;
      })
      .catch((error) => {
        if (!request.signal.aborted) failure.value = error;
      });
    return () => request.abort();
  }, [handle, tries.value]);

  if (failure.value !== null) return <ErrorNote error={failure.value} retry={() => tries.value++} />;
  if (manifest.value === null) return <Loading />;
  return <LoadedFrame key={manifest.value.handle} manifest={manifest.value} route={route} />;
}

function LoadedFrame({ manifest, route }: { readonly manifest: Manifest; readonly route: Route }) {
  const frame = useMemo(() => new FrameState(manifest), [manifest.handle]);
  useEffect(() => () => frame.close(), [frame]);
  const tab = route.tab ?? 'rows';
  const tabs = [{ id: 'rows', label: 'Rows', href: href('frames', route.handle, 'rows') }];
  return (
    <div class="frame-screen">
      <TabLinks label="Parts of the frame" tabs={tabs} selected={tab} />
      <RowsTab frame={frame} route={route} />
    </div>
  );
}
