import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Endings that no name in the public DNS can have: no attacker can make one of these resolve to this server. */
const privateEndings = ['.localhost', '.local', '.internal', '.home.arpa', '.test'];

/**
 * The host names under which this server answers. A page whose own name resolves to this machine (DNS rebinding) counts as of the
 * same origin for its browser; only the Host header shows it. Such a name is a public one, so addresses, names without a dot and private
 * endings are always accepted, and public names must be configured: by `public_url` or `http.allowed_hosts`.
 */
export class HostNames {
  readonly #names: ReadonlySet<string>;
  /** Most callers use the same one again and again. */
  #lastAllowed = '';

  constructor(names: readonly string[]) {
    this.#names = new Set([hostname(), ...names].map((name) => name.toLowerCase()));
  }

  /** A request without the header is not from a browser. */
  allows(host: string | undefined): boolean {
    if (host === undefined || host === '' || host === this.#lastAllowed) return true;
    const allowed = this.#isOurs(nameOf(host));
    if (allowed) this.#lastAllowed = host;
    return allowed;
  }

  #isOurs(name: string): boolean {
    if (this.#names.has(name)) return true;
    if (isIP(name) !== 0) return true;
    if (!/^[a-z0-9_.-]+$/.test(name)) return false;
    return !name.includes('.') || privateEndings.some((ending) => name.endsWith(ending));
  }
}

/** Without the port and the brackets of an IPv6 address; a dot at the end is ignored. */
function nameOf(host: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  return (bracketed ?? plain ?? host).toLowerCase().replace(/\.$/, '');
}
