import './frames.css';
import type { ManifestSummary } from '@framehold/client';
import { useComputed } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  frames,
  listError,
  listState,
  loadFrames,
  sharedFrames,
  useFrameList,
} from '../../server/frame-list.ts';
import { useNoteSearch } from '../../server/note-search.ts';
import { useKeys } from '../../shell/keys.ts';
import { href, navigate, route, setParameters } from '../../shell/router.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { bytesText, countText, plural } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Loading, Spinner } from '../../ui/spinner.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { FirstFrame } from './first-frame.tsx';
import { parseOrder, searchFrames, sortFrames } from './frame-order.ts';
import { FrameHeader, FrameRow, frameColumns } from './frame-row.tsx';

/** A row has one line, or two on a phone. */
const rowPx = 34;
const narrowRowPx = 56;
const narrow = matchMedia('(max-width: 720px)');

export function FramesScreen() {
  useFrameList();
  const search = useRef<HTMLInputElement>(null);
  const reveal = useRef<(index: number) => void>(() => undefined);
  const isNarrow = useNarrow();
  const isShared = route.value.parameters.get('of') === 'shared';
  const said = useNoteSearch(route.value.parameters.get('search') ?? '');
  const shown = useComputed(() => {
    const { parameters } = route.value;
    const all = parameters.get('of') === 'shared' ? sharedFrames.value : frames.value.values();
    return sortFrames(
      searchFrames(all, parameters.get('search') ?? '', said.value),
      parseOrder(parameters.get('sort')),
    );
  }).value;

  const focusRow = (index: number) => {
    if (index < 0 || index >= shown.length) return;
    reveal.current(index);
    // Drawn in the next frame if it was out of view.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus());
  };
  const focusedRow = () => Number((document.activeElement as HTMLElement | null)?.dataset?.row ?? -1);
  useKeys('Frames', [
    { keys: '/', label: 'Search', run: () => search.current?.select() },
    { keys: 'ArrowDown', label: 'Next frame', run: () => focusRow(focusedRow() + 1) },
    { keys: 'ArrowUp', label: 'Previous frame', run: () => focusRow(focusedRow() - 1) },
    { keys: 'Enter', label: 'Open' },
  ]);

  if (frames.value.size === 0 && sharedFrames.value.length === 0) {
    if (listState.value === 'loading') return <Loading label="Loading frames" />;
    if (listState.value === 'failed') return <Failed />;
    return <FirstFrame />;
  }
  const text = route.value.parameters.get('search') ?? '';
  return (
    <div class="frames">
      <div class="frames-bar">
        <h1>Frames</h1>
        <Scope isShared={isShared} />
        <div class="search">
          <Icon name="search" size={14} />
          <input
            ref={search}
            class="input"
            type="search"
            aria-label="Search frames"
            placeholder="Search names and notes"
            value={text}
            onInput={(event) => setParameters({ search: event.currentTarget.value || null })}
            onKeyDown={(event) => {
              const first = shown[0];
              if (event.key === 'Enter' && first !== undefined) navigate(href('frames', first.name));
              if (event.key === 'Escape') setParameters({ search: null });
            }}
          />
          <kbd>/</kbd>
        </div>
        <Summary shown={shown} />
        <ButtonLink kind="primary" icon="upload" href={href('upload')}>
          Upload
        </ButtonLink>
      </div>
      {listState.value === 'failed' && <Failed />}
      {listState.value === 'cut' && (
        <div class="note note-warn frames-note">
          <Icon name="warning" />
          Only the first {countText(frames.value.size)} names are shown. Open others by their name with
          Ctrl+K.
        </div>
      )}
      {shown.length === 0 ? (
        <EmptyState icon="search" title={`No name and no note contains “${text}”`}>
          <button type="button" class="text-button" onClick={() => setParameters({ search: null })}>
            Show all frames
          </button>
        </EmptyState>
      ) : (
        <VirtualList
          count={shown.length}
          rowPx={isNarrow ? narrowRowPx : rowPx}
          label="Frames"
          columnCount={frameColumns.length + 1}
          reveal={reveal}
          header={<FrameHeader />}
          row={(index) => {
            const frame = shown[index];
            return frame === undefined ? null : (
              <FrameRow key={frame.name} frame={frame} index={index} isShared={isShared} />
            );
          }}
        />
      )}
    </div>
  );
}

/** Yours, or what other tenants share: offered only if there is some. */
function Scope({ isShared }: { readonly isShared: boolean }) {
  if (sharedFrames.value.length === 0) return null;
  return (
    <fieldset class="segments">
      <legend class="unseen">Whose frames</legend>
      {[false, true].map((shared) => (
        <button
          key={String(shared)}
          type="button"
          class="segment"
          aria-pressed={shared === isShared}
          onClick={() => setParameters({ of: shared ? 'shared' : null })}
        >
          {shared ? 'Shared with you' : 'Yours'}
          <span class="segment-count">
            {countText(shared ? sharedFrames.value.length : frames.value.size)}
          </span>
        </button>
      ))}
    </fieldset>
  );
}

function Summary({ shown }: { readonly shown: readonly ManifestSummary[] }) {
  const bytes = shown.reduce((sum, frame) => sum + frame.bytes, 0);
  return (
    <p class="frames-summary muted" aria-live="polite">
      {plural(shown.length, 'frame')} · {bytesText(bytes)}
      {listState.value === 'loading' && <Spinner label="Loading more frames" />}
    </p>
  );
}

function Failed() {
  return (
    <div class="frames-note">
      <ErrorNote error={listError.value} retry={() => void loadFrames()} />
    </div>
  );
}

function useNarrow(): boolean {
  const [matches, setMatches] = useState(narrow.matches);
  useEffect(() => {
    const changed = () => setMatches(narrow.matches);
    narrow.addEventListener('change', changed);
    return () => narrow.removeEventListener('change', changed);
  }, []);
  return matches;
}
