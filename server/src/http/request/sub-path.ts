import { decodeOrKeep } from './raw-query.ts';

/** Where our own paths begin. A public URL that begins so, too, is left to the proxy: the server could not tell the two apart. */
const ownBeginnings: ReadonlySet<string> = new Set([
  'assets',
  'exec',
  'exp',
  'healthz',
  'metrics',
  'ping',
  'readyz',
  'v1',
]);

/**
 * The path under which a proxy offers this server, as the public URL has it. Some proxies remove it before they pass a request on and some
 * do not: requests with it and without it mean the same.
 */
export class SubPath {
  readonly #text: string;
  readonly #steps: readonly string[];

  constructor(publicUrl: string) {
    const path = publicUrl === '' ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
    const steps = path.split('/').slice(1).map(decodeOrKeep);
    const isOurs = ownBeginnings.has(steps[0] ?? '');
    this.#text = isOurs ? '' : path;
    this.#steps = isOurs ? [] : steps;
  }

  /** The path and the parameters that the routes know. */
  removedFrom(url: string): string {
    const length = this.#lengthIn(url);
    if (length === 0) return url;
    const rest = url.slice(length);
    return rest.startsWith('/') ? rest : `/${rest}`;
  }

  /** Where a browser goes that asks for the sub-path without its last slash: what the page loads is relative to it. null for all others. */
  slashAdded(url: string): string | null {
    const length = this.#lengthIn(url);
    if (length === 0 || url[length] === '/') return null;
    // Relative, because there may be another proxy with a path of its own in front.
    const last = url.slice(url.lastIndexOf('/', length - 1) + 1, length);
    return `./${last}/${url.slice(length)}`;
  }

  /** How many characters of the URL it takes; 0 if the URL begins with something else. */
  #lengthIn(url: string): number {
    if (this.#steps.length === 0) return 0;
    if (url.startsWith(this.#text) && endsAt(url, this.#text.length)) return this.#text.length;
    // Proxies may encode other characters than the setting does.
    if (!url.startsWith('/')) return 0;
    let end = 0;
    for (const step of this.#steps) {
      const begin = end + 1;
      end = begin;
      while (!endsAt(url, end)) end++;
      if (url[begin - 1] !== '/' || decodeOrKeep(url.slice(begin, end)) !== step) return 0;
    }
    return end;
  }
}

function endsAt(url: string, index: number): boolean {
  return index >= url.length || url[index] === '/' || url[index] === '?';
}
