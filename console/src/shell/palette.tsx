import './palette.css';
import type { SavedQuery } from '@framehold/client';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { api } from '../server/api.ts';
import { frames, sharedFrames, useFrameList } from '../server/frame-list.ts';
import { plural } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { type PaletteEntry, paletteEntries } from './palette-entries.ts';
import { recents } from './recents.ts';
import { navigate } from './router.ts';

/** Ctrl+K: jump to a frame, a saved query or a screen. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  useFrameList();
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const saved = useSavedQueries();
  // Before the next key is handled: an effect after the paint would lose the first letters of someone who types fast.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const entries = useMemo(
    () =>
      paletteEntries(text, {
        recents: recents.value,
        frames: [...frames.value.values(), ...sharedFrames.value],
        saved,
      }),
    [text, saved, recents.value, frames.value, sharedFrames.value],
  );
  const chosen = Math.min(active, entries.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, entries]);
  const choose = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    onClose();
    navigate(entry.href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0 && entries.length > 0) setActive((chosen + by + entries.length) % entries.length);
    else if (event.key === 'Enter') choose(entries[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Jump to"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        // The backdrop is the dialog itself.
        if (event.target === dialog.current) onClose();
      }}
      onKeyDown={onKeyDown}
    >
      <div class="palette-search">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={entries.length === 0 ? undefined : `${id}-${chosen}`}
          aria-label="Frame, query or screen"
          placeholder="Frame, query or screen"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setActive(0);
          }}
        />
        <kbd>Esc</kbd>
      </div>
      <div ref={list} id={`${id}-list`} class="palette-list" role="listbox" aria-label="Places" tabIndex={-1}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the combobox
          <div
            key={`${entry.kind} ${entry.label}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            class="palette-entry"
            onPointerMove={() => setActive(index)}
            onClick={() => choose(entry)}
          >
            <Icon name={entry.icon} />
            <span class="palette-label clip" title={entry.label}>
              {entry.label}
            </span>
            <span class="palette-note muted">
              {entry.rows === undefined ? entry.kind : plural(entry.rows, 'row')}
            </span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p class="palette-none muted">Nothing has this name.</p>}
    </dialog>
  );
}

function useSavedQueries(): readonly SavedQuery[] {
  const [saved, setSaved] = useState<readonly SavedQuery[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    api.saved.list({ signal: controller.signal }).then(
      (queries) => setSaved(queries),
      // The rest of the list is useful without them.
      () => undefined,
    );
    return () => controller.abort();
  }, []);
  return saved;
}
