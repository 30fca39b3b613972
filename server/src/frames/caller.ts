/** Who is calling. Every method of the core takes one; keys in the store and the catalog begin with its tenant. */
export interface Caller {
  readonly tenant: string;
  /** What logs call this caller. */
  readonly name: string;
}

/** The caller of a server without credentials configured. */
export const openCaller: Caller = { tenant: 'default', name: 'anonymous' };
