import { baseOf, type SharedLink, sharedLinkOf } from './page-address.ts';

/** Where the server's API begins. */
export const base: URL = baseOf(location);
/** What the page was opened for, if that was a shared link. */
export const sharedLink: SharedLink | null = sharedLinkOf(location);
