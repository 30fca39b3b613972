/**
 * What a credential may be used for. `tsdb` is apart because the external database knows one user only: this server. `operator` is apart because
 * those who run a server for others must not need access to their frames, nor have it.
 */
export const scopes = ['read', 'write', 'admin', 'tsdb', 'metrics', 'operator'] as const;
export type Scope = (typeof scopes)[number];

/** Everything that a credential of a tenant can have. `operator` belongs to no tenant: only a token of its own carries it. */
export const tenantScopes = ['read', 'write', 'admin', 'tsdb', 'metrics'] as const satisfies readonly Scope[];

/** Writing is of no use without reading; the administrator of a tenant has every scope that a tenant can have. */
const included: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ['read'],
  write: ['read', 'write'],
  admin: tenantScopes,
  tsdb: ['tsdb'],
  metrics: ['metrics'],
  operator: ['operator', 'metrics'],
};

/** The given scopes with those that they include. */
export function withIncluded(given: Iterable<Scope>): ReadonlySet<Scope> {
  return new Set([...given].flatMap((scope) => included[scope]));
}

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}

export function isTenantScope(text: string): text is (typeof tenantScopes)[number] {
  return (tenantScopes as readonly string[]).includes(text);
}
