import './frame.css';
import type { Manifest } from '@framehold/client';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { FrameChart } from '../../chart/frame-chart.tsx';
import { api } from '../../server/api.ts';
import { onLive } from '../../server/live.ts';
import type { Route } from '../../shell/route.ts';
import { href } from '../../shell/router.ts';
import type { ScreenProps } from '../../shell/screen-props.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Loading } from '../../ui/spinner.tsx';
import { TabLinks } from '../../ui/tabs.tsx';
import { AboutFrame } from './about-frame.tsx';
import { FrameHeader } from './frame-header.tsx';
import { FrameState } from './frame-state.ts';
import { isPinned } from './handles.ts';
import { mayChange } from './may-change.ts';
import { NewerVersion } from './newer-version.tsx';
import { ProvenanceTab } from './provenance-tab.tsx';
import { RowsTab } from './rows-tab.tsx';
import { SchemaTab } from './schema-tab.tsx';
import { SnippetsTab } from './snippets-tab.tsx';
import { StatisticsTab } from './statistics-tab.tsx';
import { VersionsTab } from './versions-tab.tsx';

interface TabProps {
  readonly frame: FrameState;
  readonly route: Route;
}

const tabs: readonly {
  readonly id: string;
  readonly label: string;
  readonly show: (props: TabProps) => ComponentChildren;
}[] = [
  { id: 'rows', label: 'Rows', show: (props) => <RowsTab {...props} /> },
  { id: 'schema', label: 'Schema', show: (props) => <SchemaTab {...props} /> },
  { id: 'statistics', label: 'Statistics', show: (props) => <StatisticsTab {...props} /> },
  {
    id: 'chart',
    label: 'Chart',
    show: ({ frame: { manifest } }) => (
      <FrameChart handle={manifest.handle} rows={manifest.rows} columns={manifest.columns} />
    ),
  },
  { id: 'versions', label: 'Versions', show: (props) => <VersionsTab {...props} /> },
  { id: 'provenance', label: 'Provenance', show: (props) => <ProvenanceTab {...props} /> },
  { id: 'snippets', label: 'Snippets', show: (props) => <SnippetsTab {...props} /> },
];

/** One version of a frame. It does not change under the reader: a newer version is offered, not shown by itself. */
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
        if (isPinned(handle)) void refresh();
      })
      .catch((error) => {
        if (!request.signal.aborted) failure.value = error;
      });
    return () => request.abort();
  }, [handle, tries.value]);
  const name = manifest.value?.name;
  useEffect(
    () =>
      onLive((event) => {
        // Expiry and sharing belong to the name: they change what is shown of any version.
        if (event.kind === 'frame.changed' && event.name === name) void refresh();
      }),
    [name],
  );
  const refresh = async () => {
    const shown = manifest.peek();
    if (shown === null) return;
    try {
      // Not of the version: browsers keep the manifest of a version for ever, and the expiry belongs to the name.
      const { expiresAt } = await api.frames.get(shown.name);
      if (manifest.peek()?.handle === shown.handle) manifest.value = { ...shown, expiresAt };
    } catch {
      // It is gone, and what is on the page stays readable; the next request says why.
    }
  };

  if (failure.value !== null) {
    return (
      <EmptyState icon="frames" title="This frame cannot be shown">
        <h1 class="unseen">{handle}</h1>
        <ErrorNote
          error={failure.value}
          retry={() => {
            tries.value++;
          }}
        />
        <a href={href('frames')}>All frames</a>
      </EmptyState>
    );
  }
  if (manifest.value === null) return <Loading />;
  return (
    <LoadedFrame
      key={manifest.value.handle}
      manifest={manifest.value}
      route={route}
      onNewest={() => {
        tries.value++;
      }}
    />
  );
}

function LoadedFrame({
  manifest,
  route,
  onNewest,
}: {
  readonly manifest: Manifest;
  readonly route: Route;
  readonly onNewest: () => void;
}) {
  const frame = useMemo(() => new FrameState(manifest), [manifest.handle]);
  useEffect(() => {
    frame.loadNotes();
    const stop = onLive((event) => {
      if (event.kind === 'frame.changed' && event.name === manifest.name && event.change === 'notes')
        frame.loadNotes();
    });
    return () => {
      stop();
      frame.close();
    };
  }, [frame]);
  const selected = tabs.find(({ id }) => id === route.tab) ?? tabs[0];
  const parameters = Object.fromEntries(route.parameters);
  const screen = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a phone the tabs are wider than the window.
    screen.current
      ?.querySelector('.tabs [aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [selected]);
  return (
    <div ref={screen} class="frame-screen">
      <FrameHeader manifest={manifest} isPinned={isPinned(route.handle ?? '')} />
      <AboutFrame frame={frame} canChange={mayChange(manifest.name)} />
      <NewerVersion manifest={manifest} handle={route.handle ?? ''} onShow={onNewest} />
      <TabLinks
        label="Parts of the frame"
        selected={selected?.id ?? 'rows'}
        tabs={tabs.map(({ id, label }) => ({
          id,
          label,
          // The order and the filters stay in the address, for the way back.
          href: href('frames', route.handle, id, parameters),
        }))}
      />
      {selected?.show({ frame, route })}
    </div>
  );
}
