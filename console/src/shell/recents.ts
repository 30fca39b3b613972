import { effect, signal } from '@preact/signals';
import { base } from '../server/base.ts';
import { route } from './router.ts';

/** In the tab only, as the token is: the names of frames should not outlive a sign-out on a shared computer. */
const key = `framehold:recents:${base.pathname}`;
/** As many as a list that is read at a glance. */
const recentsMax = 8;

/** Handles of the frames that were opened, the last first. */
export const recents = signal<readonly string[]>(read());

effect(() => {
  const { screen, handle } = route.value;
  if (screen !== 'frame' || handle === null) return;
  const name = handle.replace(/@\d+$/, '');
  const next = [name, ...recents.peek().filter((each) => each !== name)].slice(0, recentsMax);
  recents.value = next;
  sessionStorage.setItem(key, JSON.stringify(next));
});

function read(): string[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}
