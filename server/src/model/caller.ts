import type { EngineName } from './engine-name.ts';
import { FrameholdError } from './errors.ts';
import { type Scope, scopes } from './scope.ts';
import { defaultTenant, noTenant } from './tenant.ts';
import type { Used, UsedLine } from './used.ts';

/** The owner of a credential. */
export interface Identity {
  /** `noTenant` for an operator. */
  readonly tenant: string;
  /** What logs call this caller. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The one version that a signed link opens; null for every other credential. */
  readonly link: LinkedVersion | null;
  /** Whether the credential is still valid: not revoked, not expired. Checked again after every wait, before anything begins or changes. */
  readonly isCurrent: () => boolean;
}

interface LinkedVersion {
  readonly name: string;
  readonly version: number;
  /** How often the name had come back after a drop when the link was made; absent if it never had. */
  readonly incarnation?: number;
  /** Of the link; absent in links that were made before they could be revoked. */
  readonly id?: string;
}

/** Where the request came from, for the audit log. */
export interface Visit {
  readonly remote: string;
  readonly requestId: string;
}

/** Who is calling. Every method of the core takes one; keys in the store and the catalog begin with its tenant. */
export interface Caller extends Identity, Visit {
  /** Collects what this request uses, for its line in the log. */
  readonly used?: Used;
  /** The SQL statement that this call belongs to. */
  readonly statement?: string;
  /** What runs that statement; absent if it is the default engine. */
  readonly engine?: EngineName;
  /** The versions that its transaction has read first, and goes on to read; absent: each statement reads the newest. */
  readonly pins?: VersionPins;
}

/** By the name as a statement writes it, in lower case. Filled as names are used for the first time. */
export type VersionPins = Map<string, PinnedVersion>;

interface PinnedVersion {
  readonly version: number;
  /** Another one under the same number belongs to a name that was dropped and has come back. */
  readonly versionId: string;
}

/** Who a line of the log is about. */
export type CallerLine = {
  /** null for an operator, and if the caller is unknown. */
  readonly tenant: string | null;
  readonly caller: string;
};

export function callerLine(caller: Caller): CallerLine & UsedLine {
  const isKnown = caller !== unidentifiedCaller && caller.tenant !== noTenant;
  return { tenant: isKnown ? caller.tenant : null, caller: caller.name, ...caller.used?.line };
}

/** An operator looks after all tenants and belongs to none. */
export function isOperator({ tenant, scopes }: Identity): boolean {
  return tenant === noTenant && scopes.has('operator');
}

const always = () => true;

/** Everybody, on a server without credentials configured. */
export const openIdentity: Identity = {
  tenant: defaultTenant,
  name: 'anonymous',
  scopes: new Set(scopes),
  link: null,
  isCurrent: always,
};

/** A request that needs no credential, such as a health check. May do nothing else. */
export const unidentifiedCaller: Caller = {
  tenant: defaultTenant,
  name: 'nobody',
  scopes: new Set(),
  link: null,
  isCurrent: always,
  remote: '',
  requestId: '',
};

/** Throws unauthenticated if the credential has been revoked or has expired since the request arrived. */
export function refuseEnded({ isCurrent }: Pick<Identity, 'isCurrent'>): void {
  if (isCurrent()) return;
  throw new FrameholdError(
    'unauthenticated',
    'The credential was revoked or expired while the request was under way: nothing was changed.',
    { hint: 'Send the request again with a valid credential.' },
  );
}

/** The caller on a server without credentials, if its address does not matter. */
export const openCaller: Caller = { ...openIdentity, remote: '', requestId: '' };
