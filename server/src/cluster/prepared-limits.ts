import { FrameholdError } from '../model/errors.ts';
import type { PreparedLimits, PreparedStatement } from '../ports/prepared-statements.ts';

/** Tools keep connections, and their statements, while somebody is at lunch. */
const idleMsDefault = 60 * 60_000;
/** Of all prepared statements together: a thousand ordinary ones take less than a hundredth of it. */
const bytesMaxDefault = 64 * 1024 * 1024;
/** What one takes beside its texts: so that a thousand small ones weigh something, too. */
const entryBytes = 1_024;

export function withDefaults(limits: PreparedLimits): Required<PreparedLimits> {
  return { idleMs: idleMsDefault, bytesMax: bytesMaxDefault, ...limits };
}

export function bytesOf({
  sql,
  description,
  parameters,
}: Pick<PreparedStatement, 'sql' | 'description' | 'parameters'>): number {
  const schemas = (description.schemaMessage?.length ?? 0) + description.parameterSchemaMessage.length;
  return sql.length * 2 + schemas + (parameters?.stream.length ?? 0);
}

export interface WeighedStatement {
  readonly handle: string;
  readonly tenant: string;
  readonly bytes: number;
}

/**
 * Those that go, of statements in order of use, so that the rest is within the limits: the oldest of the tenant that holds most, so that nobody
 * loses statements because another prepares many. `kept` stays.
 */
export function dispensable<Statement extends WeighedStatement>(
  held: readonly Statement[],
  kept: string,
  { countMax, bytesMax }: Pick<Required<PreparedLimits>, 'countMax' | 'bytesMax'>,
): readonly Statement[] {
  let count = held.length;
  let bytes = 0;
  const weights = new Map<string, number>();
  for (const statement of held) {
    bytes += statement.bytes;
    if (statement.handle === kept) continue;
    weights.set(statement.tenant, (weights.get(statement.tenant) ?? 0) + statement.bytes + entryBytes);
  }
  const gone = new Set<Statement>();
  while (count > countMax || bytes > bytesMax) {
    const most = Math.max(...weights.values());
    const victim = held.find(
      (each) => each.handle !== kept && !gone.has(each) && weights.get(each.tenant) === most,
    );
    if (victim === undefined) break;
    gone.add(victim);
    count -= 1;
    bytes -= victim.bytes;
    const left = (weights.get(victim.tenant) ?? 0) - victim.bytes - entryBytes;
    if (left > 0) weights.set(victim.tenant, left);
    else weights.delete(victim.tenant);
  }
  return [...gone];
}

export function absentStatement(): FrameholdError {
  return new FrameholdError('query_not_found', 'There is no such prepared statement.', {
    hint: 'It was closed, or it was not used for too long. Prepare it again.',
  });
}
