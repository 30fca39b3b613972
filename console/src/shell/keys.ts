import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/**
 * All keyboard shortcuts that are in force, so that `?` can list them. `keys` is written as people say it: `Ctrl+K`, `/`, `Shift+Enter`.
 * On a Mac, the command key counts as Ctrl.
 */
export interface KeyBinding {
  readonly keys: string;
  readonly label: string;
  /** Absent if the key is handled where the focus is (the grid, the editor), and only listed here. */
  readonly run?: () => void;
}

export interface KeyGroup {
  readonly title: string;
  readonly bindings: readonly KeyBinding[];
}

export const keyGroups = signal<readonly KeyGroup[]>([]);

const singleKeysKey = 'framehold:single-keys';
/** Shortcuts of a single character can be turned off, for people who dictate or whose keyboard sends stray keys (WCAG 2.1.4). */
export const singleKeys = signal(localStorage.getItem(singleKeysKey) !== 'off');

export function setSingleKeys(on: boolean): void {
  localStorage.setItem(singleKeysKey, on ? 'on' : 'off');
  singleKeys.value = on;
}

/** Adds a group of shortcuts; returns what removes it. */
function registerKeys(title: string, bindings: readonly KeyBinding[]): () => void {
  const group = { title, bindings };
  keyGroups.value = [...keyGroups.peek(), group];
  return () => {
    keyGroups.value = keyGroups.peek().filter((each) => each !== group);
  };
}

/** Shortcuts that are in force while the component is shown. */
export function useKeys(title: string, bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  useEffect(
    () =>
      registerKeys(
        title,
        latest.current.map((binding, index) =>
          binding.run === undefined ? binding : { ...binding, run: () => latest.current[index]?.run?.() },
        ),
      ),
    [title],
  );
}

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const pressed = keysOf(event);
  const single = [...event.key].length === 1 && !pressed.startsWith('Ctrl+') && !pressed.startsWith('Alt+');
  if (single && (isTyping(event) || !singleKeys.peek())) return;
  // A dialog that is open has the keys to itself.
  if (document.querySelector('dialog[open]') !== null) return;
  // The group that was added last is the innermost.
  for (const group of keyGroups.peek().toReversed()) {
    const found = group.bindings.find((binding) => binding.keys === pressed && binding.run !== undefined);
    if (found?.run === undefined) continue;
    event.preventDefault();
    found.run();
    return;
  }
});

function keysOf(event: KeyboardEvent): string {
  const key =
    event.key.length === 1 && (event.ctrlKey || event.metaKey) ? event.key.toUpperCase() : event.key;
  return [
    event.ctrlKey || event.metaKey ? 'Ctrl+' : '',
    event.altKey ? 'Alt+' : '',
    // Shift is part of a character such as `?`.
    event.shiftKey && event.key.length > 1 ? 'Shift+' : '',
    key,
  ].join('');
}

function isTyping(event: KeyboardEvent): boolean {
  // The editor is in a shadow root, where `target` is only its host.
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName);
}
