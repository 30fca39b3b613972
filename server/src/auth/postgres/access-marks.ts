import { FrameholdError } from '../../model/errors.ts';
import type { Sql } from '../../postgres/database.ts';

/** Grows with every change of what it marks. */
export async function readMark(sql: Sql, what: 'credentials' | 'limits' | 'link_keys'): Promise<number> {
  const row = await sql.first<Record<typeof what, number>>('SELECT * FROM access_marks WHERE id = $1', [1]);
  if (row !== undefined) return row[what];
  throw new FrameholdError('internal', 'The table access_marks of the catalog is empty.', {
    hint: 'Restore the catalog: its credentials may also be missing.',
  });
}
