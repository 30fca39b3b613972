/**
 * Routes are in the hash: they work under any path that a proxy puts before the server, and what they carry (SQL, filters) never
 * reaches a server's log.
 */
export interface Route {
  /** The first word: `frames`, `query`, `status` …; `frame` if a handle follows `frames`. */
  readonly screen: string;
  readonly handle: string | null;
  readonly tab: string | null;
  readonly parameters: URLSearchParams;
}

export type ParameterChanges = Readonly<Record<string, string | null>>;

export function parseRoute(hash: string): Route {
  const [path, query] = splitOnce(hash.replace('#', ''), '?');
  const [first = '', handle = '', tab = ''] = path.split('/').filter(Boolean).map(decode);
  const isFrame = first === 'frames' && handle !== '';
  return {
    screen: isFrame ? 'frame' : first || 'frames',
    handle: isFrame ? handle : null,
    tab: tab === '' ? null : tab,
    parameters: new URLSearchParams(query),
  };
}

/** The `href` of a screen: `href('frames', 'trades@3', 'schema')`. */
export function href(
  screen: string,
  handle?: string | null,
  tab?: string | null,
  parameters?: ParameterChanges,
): string {
  const path = [screen, handle, tab].filter((part) => part != null).map(encode);
  const query = new URLSearchParams(
    Object.entries(parameters ?? {}).filter((entry): entry is [string, string] => entry[1] !== null),
  ).toString();
  return `#/${path.join('/')}${query === '' ? '' : `?${query}`}`;
}

/** The `@` and `:` of a handle may stay as they are in a hash, where people read them. */
function encode(part: string): string {
  return encodeURIComponent(part).replaceAll('%40', '@').replaceAll('%3A', ':');
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A broken escape in a typed address: shown as it is, and found by nobody.
    return part;
  }
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
