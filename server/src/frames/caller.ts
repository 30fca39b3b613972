import { type Scope, scopes } from './scope.ts';
import { defaultTenant } from './tenant.ts';

/** Who a credential stands for. */
export interface Identity {
  readonly tenant: string;
  /** What logs call this caller. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The one version that a signed link opens; null for every other credential. */
  readonly link: LinkedVersion | null;
  /** The credential still counts. What took long to arrive asks again before it changes anything. */
  readonly isCurrent: () => boolean;
}

interface LinkedVersion {
  readonly name: string;
  readonly version: number;
}

/** From where, for the trail of what was done. */
export interface Visit {
  readonly remote: string;
  readonly requestId: string;
}

/** Who is calling. Every method of the core takes one; keys in the store and the catalog begin with its tenant. */
export interface Caller extends Identity, Visit {}

const always = () => true;

/** Everybody, on a server without credentials configured. */
export const openIdentity: Identity = {
  tenant: defaultTenant,
  name: 'anonymous',
  scopes: new Set(scopes),
  link: null,
  isCurrent: always,
};

/** Whoever asks for what everybody may have, such as the state of health. May nothing else. */
export const stranger: Caller = {
  tenant: defaultTenant,
  name: 'nobody',
  scopes: new Set(),
  link: null,
  isCurrent: always,
  remote: '',
  requestId: '',
};

/** The caller of a server without credentials configured, where it does not matter from where. */
export const openCaller: Caller = { ...openIdentity, remote: '', requestId: '' };
