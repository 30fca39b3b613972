/**
 * Where the server's API begins. The page is `<base>` itself, or, opened from a shared link, `<base>v1/frames/{handle}/rows?link=…`.
 */
export interface SharedLink {
  readonly handle: string;
  readonly link: string;
}

export function baseOf(page: {
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
}): URL {
  const at = sharedPath(page) === null ? -1 : page.pathname.lastIndexOf('/v1/frames/');
  const path =
    at >= 0 ? page.pathname.slice(0, at + 1) : page.pathname.slice(0, page.pathname.lastIndexOf('/') + 1);
  return new URL(path, page.origin);
}

export function sharedLinkOf(page: {
  readonly pathname: string;
  readonly search: string;
}): SharedLink | null {
  const handle = sharedPath(page);
  const link = new URLSearchParams(page.search).get('link');
  return handle === null || link === null ? null : { handle, link };
}

function sharedPath(page: { readonly pathname: string; readonly search: string }): string | null {
  if (!new URLSearchParams(page.search).has('link')) return null;
  const match = /\/v1\/frames\/([^/]+)\/rows$/.exec(page.pathname);
  if (match?.[1] === undefined) return null;
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return null;
  }
}
