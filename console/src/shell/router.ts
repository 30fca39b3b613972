import { signal } from '@preact/signals';
import { href, type ParameterChanges, parseRoute, type Route } from './route.ts';

export { href } from './route.ts';

/** The screen that is shown. */
export const route = signal<Route>(parseRoute(location.hash));

addEventListener('hashchange', readHash);
addEventListener('popstate', readHash);

/** Opens a screen, as a link does: the browser's back button returns from it. */
export function navigate(to: string): void {
  if (location.hash === to) return;
  history.pushState(null, '', to);
  readHash();
}

/**
 * Changes parameters of this screen; null removes one. The entry in the browser's history is replaced, because a reader who goes back
 * wants the previous screen, not the previous sort order.
 */
export function setParameters(changes: ParameterChanges): void {
  const { screen, handle, tab, parameters } = route.peek();
  const to = href(screen === 'frame' ? 'frames' : screen, handle, tab, {
    ...Object.fromEntries(parameters),
    ...changes,
  });
  if (to === location.hash) return;
  history.replaceState(null, '', to);
  readHash();
}

function readHash(): void {
  if (location.hash === currentHash) return;
  currentHash = location.hash;
  route.value = parseRoute(location.hash);
}

let currentHash = location.hash;
