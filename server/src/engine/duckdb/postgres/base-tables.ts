import type { DuckDBConnection } from '@duckdb/node-api';
import { relations } from '../../../model/postgres/relations.ts';
import { systemFunctions } from '../../../model/postgres/system-functions.ts';
import { systemKeywords } from '../../../model/postgres/system-keywords.ts';
import { systemTypes } from '../../../model/postgres/system-types.ts';

/**
 * The tables that views and macros read. `pg__relation` and `pg__column` have relations of the system and frames alike; `shape` is what relations with the
 * same columns share. `pg__owner` has the tenants whose frames there are.
 */
const tables: Readonly<Record<string, string>> = {
  pg__relation:
    'oid UINTEGER, name VARCHAR, namespace UINTEGER, owner UINTEGER, kind VARCHAR, row_type UINTEGER, array_type UINTEGER, shape UINTEGER, columns SMALLINT',
  pg__column:
    'shape UINTEGER, num SMALLINT, name VARCHAR, type UINTEGER, modifier INTEGER, dims INTEGER, is_not_null BOOLEAN',
  pg__owner: 'oid UINTEGER, name VARCHAR, schema VARCHAR, namespace UINTEGER',
  pg__comment: 'relation UINTEGER, num SMALLINT, text VARCHAR',
  pg__function: 'oid UINTEGER, name VARCHAR, result UINTEGER, arguments UINTEGER[]',
  pg__keywords: 'word VARCHAR, code VARCHAR, description VARCHAR',
  pg__type: `oid UINTEGER, name VARCHAR, namespace UINTEGER, len SMALLINT, is_by_value BOOLEAN, type VARCHAR, category VARCHAR, is_preferred BOOLEAN,
    delimiter VARCHAR, relation UINTEGER, element UINTEGER, array_type UINTEGER, subscript UINTEGER, input UINTEGER, output UINTEGER, receive UINTEGER,
    send UINTEGER, modifier_in UINTEGER, modifier_out UINTEGER, "analyze" UINTEGER, align VARCHAR, storage VARCHAR, is_not_null BOOLEAN, base_type UINTEGER,
    modifier INTEGER, dims INTEGER, "collation" UINTEGER, base VARCHAR, shown VARCHAR, suffix VARCHAR`,
};

export const schemaOids = { pg_catalog: 11, pg_toast: 99, public: 2200, information_schema: 13207 } as const;
/** Who owns what the system has. */
export const systemOwner = 10;

const lines = 'FROM (SELECT string_split(unnest(string_split($1::VARCHAR, chr(10))), chr(32)) AS f)';

/** Makes the tables, with what every PostgreSQL 15 has in them. */
export async function createBaseTables(connection: DuckDBConnection): Promise<void> {
  const creations = Object.entries(tables).map(([name, columns]) => `CREATE TABLE ${name} (${columns})`);
  await connection.run(creations.join(';\n'));
  const schema = (text: string) =>
    `CASE ${text} WHEN 'pg_catalog' THEN 11 ELSE ${schemaOids.information_schema} END`;
  await connection.run(
    `INSERT INTO pg__type SELECT f[1], f[2], ${schema('f[3]')}, f[4], f[5] = '1', f[6], f[7], f[8] = '1', f[9], 0, f[10], f[11], f[12], f[13], f[14], f[15],
       f[16], f[17], f[18], f[19], f[20], f[21], f[22] = '1', f[23], f[24], f[25], f[26], NULL, NULL, NULL ${lines}`,
    [systemTypes.trim()],
  );
  await connection.run(
    `INSERT INTO pg__function SELECT f[1], f[2], f[3], CASE WHEN coalesce(f[4], '') = '' THEN [] ELSE string_split(f[4], ',')::UINTEGER[] END ${lines}`,
    [systemFunctions.trim()],
  );
  await connection.run(
    `INSERT INTO pg__keywords SELECT f[1], f[2], CASE f[2] WHEN 'U' THEN 'unreserved' WHEN 'C' THEN 'unreserved (cannot be function or type name)'
       WHEN 'T' THEN 'reserved (can be function or type name)' ELSE 'reserved' END ${lines}`,
    [systemKeywords.trim()],
  );
  await connection.run(
    `INSERT INTO pg__relation SELECT f[4], f[2], ${schema('f[1]')}, ${systemOwner}, f[3], f[5], f[6], f[4], f[7] ${lines}`,
    [
      relations
        .map(({ schema, name, kind, oid, rowType, arrayType, columns }) =>
          [schema, name, kind, oid, rowType, arrayType, columns.length].join(' '),
        )
        .join('\n'),
    ],
  );
  await connection.run(
    `INSERT INTO pg__column SELECT f[1], f[2], f[3], (SELECT t.oid FROM pg__type t WHERE t.name = f[4]), -1, CASE WHEN f[4][1] = '_' THEN 1 ELSE 0 END, f[5] = '1' ${lines}`,
    [
      relations
        .flatMap(({ oid, columns }) =>
          columns.map(({ name, type, isNotNull }, index) =>
            [oid, index + 1, name, type, isNotNull ? 1 : 0].join(' '),
          ),
        )
        .join('\n'),
    ],
  );
  // The rows of relations have types, and those may have arrays.
  await connection.run(`
    INSERT INTO pg__type SELECT row_type, name, namespace, -1, false, 'c', 'C', false, ',', oid, 0, array_type, 0, 2290, 2291, 2402, 2403, 0, 0, 0, 'd', 'x', false, 0, -1, 0, 0, NULL, NULL, NULL
      FROM pg__relation;
    INSERT INTO pg__type SELECT array_type, '_' || name, namespace, -1, false, 'b', 'A', false, ',', 0, row_type, 0, 6179, 750, 751, 2400, 2401, 0, 0, 3816, 'd', 'x', false, 0, -1, 0, 0, NULL, NULL, NULL
      FROM pg__relation WHERE array_type <> 0`);
}

/** How types are written depends on macros, and is needed often. */
export async function describeTypes(connection: DuckDBConnection): Promise<void> {
  await connection.run(`
    CREATE TEMP TABLE written AS SELECT t.oid, coalesce(e.name, t.name) AS base, coalesce(e.namespace, t.namespace) AS namespace, CASE WHEN e.oid IS NULL THEN '' ELSE '[]' END AS suffix
      FROM pg__type t LEFT JOIN pg__type e ON e.oid = t.element AND t.category = 'A' AND t.subscript = 6179 AND t.name[1] = '_';
    UPDATE pg__type SET base = CASE WHEN w.namespace = 11 THEN w.base ELSE '' END, suffix = w.suffix,
        shown = CASE WHEN w.namespace = 11 THEN '' ELSE 'information_schema.' END || pg__quote_ident(w.base)
      FROM written w WHERE w.oid = pg__type.oid;
    DROP TABLE written`);
}
