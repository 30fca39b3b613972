import type { AccessGuard } from '../access-guard.ts';
import type { Caller } from '../caller.ts';
import { FrameholdError } from '../errors.ts';
import type { StatementShape } from '../ports/engine.ts';

/** A statement that is not allowed is on the trail. `shape` is null where it was refused before it was taken apart: it counts as a query then. */
export function tellRefused(
  access: AccessGuard,
  caller: Caller,
  shape: StatementShape | null,
  error: unknown,
): void {
  if (!(error instanceof FrameholdError) || error.kind !== 'sql_refused') return;
  access.refused(caller, `sql.${shape?.kind ?? 'query'}`, shape?.target?.name ?? null, error);
}
