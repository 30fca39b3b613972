import type { Route } from './route.ts';

/** What every screen is given. */
export interface ScreenProps {
  readonly route: Route;
}
