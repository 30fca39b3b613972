import type { DuckDBConnection } from '@duckdb/node-api';
import { postgresType } from '../../../model/types/column-names.ts';
import type { PostgresFrames } from '../../../ports/engine.ts';
import { quoteText } from '../sql-tokens.ts';
import { columnNames, schemaOf } from '../tables/table-view.ts';
import { schemaOids } from './base-tables.ts';

/** Lines of one INSERT: their text and its parts are in memory at once. */
const linesMax = 20_000;
/** Shapes of frames, behind the OIDs of the system's relations. */
const firstShape = 100_000;

/** Replaces all frames in the base tables. */
export async function loadFrames(
  connection: DuckDBConnection,
  { lines, owners, schemaMessages, comments }: PostgresFrames,
): Promise<void> {
  await connection.run(`
    DELETE FROM pg__relation WHERE shape >= ${firstShape};
    DELETE FROM pg__column WHERE shape >= ${firstShape};
    DELETE FROM pg__owner;
    DELETE FROM pg__comment`);
  const namespaces = owners.map(({ oid, schema }) => (schema === 'public' ? schemaOids.public : oid));
  if (owners.length > 0) {
    const rows = owners.map(
      ({ oid, name, schema }, index) =>
        `(${oid}, ${quoteText(name)}, ${quoteText(schema)}, ${namespaces[index]})`,
    );
    await connection.run(`INSERT INTO pg__owner VALUES ${rows.join(', ')}`);
  }
  const counts: number[] = [];
  let pending: string[] = [];
  const flush = async () => {
    if (pending.length > 0) await connection.run(insertColumns, [pending.join('\n')]);
    pending = [];
  };
  for (const [index, message] of schemaMessages.entries()) {
    const { fields } = schemaOf(message);
    const names = columnNames(fields);
    counts.push(fields.length);
    for (const [at, field] of fields.entries()) {
      const { oid, modifier, name } = postgresType(field);
      const dimensions = name.endsWith('[]') ? 1 : 0;
      pending.push([index, at + 1, oid, modifier, dimensions, escaped(names[at] as string)].join('\t'));
    }
    if (pending.length >= linesMax) await flush();
  }
  await flush();
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE counts AS SELECT unnest([${counts.join(', ')}]::SMALLINT[]) AS columns, unnest(range(0, ${counts.length}))::UINTEGER AS shape`,
  );
  const ofOwner = (list: readonly number[]) => `[${list.join(', ')}]::UINTEGER[]`;
  for (const text of lines)
    await connection.run(
      `INSERT INTO pg__relation SELECT f[1], f[4], (${ofOwner(namespaces)})[f[2]::INTEGER + 1], (${ofOwner(owners.map(({ oid }) => oid))})[f[2]::INTEGER + 1],
         'r', 0, 0, f[3]::UINTEGER + ${firstShape}, c.columns
         FROM (SELECT string_split(unnest(string_split($1::VARCHAR, chr(10))), ' ') AS f) LEFT JOIN counts c ON c.shape = f[3]::UINTEGER`,
      [text],
    );
  await connection.run('DROP TABLE counts');
  for (let start = 0; start < comments.length; start += linesMax)
    await connection.run(insertComments, [JSON.stringify(comments.slice(start, start + linesMax))]);
}

const insertColumns = `INSERT INTO pg__column SELECT f[1]::UINTEGER + ${firstShape}, f[2], CASE WHEN contains(f[6], chr(92))
    THEN replace(replace(replace(replace(f[6], '\\\\', chr(27)), '\\t', chr(9)), '\\n', chr(10)), chr(27), '\\') ELSE f[6] END, f[3], f[4], f[5], false
  FROM (SELECT string_split(unnest(string_split($1::VARCHAR, chr(10))), chr(9)) AS f)`;

/** Of columns that there are: notes also have others. */
const insertComments = `INSERT INTO pg__comment SELECT m.f[1]::UINTEGER, coalesce(c.num, 0), m.f[3]
  FROM (SELECT unnest(from_json($1::VARCHAR, '[["VARCHAR"]]')) AS f) m JOIN pg__relation r ON r.oid = m.f[1]::UINTEGER
    LEFT JOIN pg__column c ON c.shape = r.shape AND c.name = m.f[2] WHERE m.f[2] IS NULL OR c.num IS NOT NULL`;

/** Of a name with a tabulator or a line end in it; an escape character is left out, because the other way needs one. */
function escaped(name: string): string {
  const special = ['\\', '\t', '\n', '\u001b'].some((character) => name.includes(character));
  if (!special) return name;
  const plain = name.replaceAll('\u001b', '').replaceAll('\\', '\\\\');
  return plain.replaceAll('\t', '\\t').replaceAll('\n', '\\n');
}
