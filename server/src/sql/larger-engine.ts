import { defaultEngine, type EngineName, engineHeader } from '../model/engine-name.ts';
import { type ErrorKind, FrameholdError } from '../model/errors.ts';
import type { SqlEngines } from './engines.ts';

/** What a statement that is too large for one machine fails with: for its memory, or for its temporary files. */
const tooLarge: ReadonlySet<ErrorKind> = new Set(['sql_memory', 'disk_full']);
const larger = 'spark' satisfies EngineName;

/** What the default engine failed with, and the advice to name the one that runs on several machines, if the tenant has it. */
export function namingLargerEngine(
  thrown: unknown,
  used: EngineName,
  engines: SqlEngines,
  tenant: string,
): unknown {
  const isTooLarge = thrown instanceof FrameholdError && tooLarge.has(thrown.kind);
  if (!isTooLarge || used !== defaultEngine || !engines.has(larger, tenant)) return thrown;
  const { kind, message, hint, place, sqlState, retryAfterSeconds, cause } = thrown;
  const advice = `Or let several machines run it: engine=${larger}, over Flight the header ${engineHeader}.`;
  return new FrameholdError(kind, message, {
    hint: hint === undefined ? advice : `${hint} ${advice}`,
    ...(place === undefined ? {} : { place }),
    ...(sqlState === undefined ? {} : { sqlState }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(cause === undefined ? {} : { cause }),
  });
}
