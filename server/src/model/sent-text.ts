import type { EngineName } from './engine-name.ts';

/** A text as one tenant sends it to one engine. */
export interface SentText {
  readonly tenant: string;
  readonly engine: EngineName;
  readonly sql: string;
}

/** Tenants share nothing that is kept, so that none can find out by the time of an answer what another has asked. */
export function textKey({ tenant, engine, sql }: SentText): string {
  return `${tenant}\0${engine}\0${sql}`;
}
