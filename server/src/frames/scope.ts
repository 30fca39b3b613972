/** What a credential may be used for. `tsdb` is apart because the external database knows one user only: this server. */
export const scopes = ['read', 'write', 'admin', 'tsdb', 'metrics'] as const;
export type Scope = (typeof scopes)[number];

/** Writing is of no use without reading; who administers a server can give itself every scope anyway. */
const included: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ['read'],
  write: ['read', 'write'],
  admin: scopes,
  tsdb: ['tsdb'],
  metrics: ['metrics'],
};

/** The given scopes with those that they include. */
export function withIncluded(given: Iterable<Scope>): ReadonlySet<Scope> {
  return new Set([...given].flatMap((scope) => included[scope]));
}

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
