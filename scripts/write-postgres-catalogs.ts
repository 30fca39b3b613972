/**
 * Writes what every PostgreSQL 15 has in its catalogs, as data: names, numbers and columns of its relations, types and the functions that types name. Run it
 * after the version that the listener announces has changed.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresServer } from '../server/test/support/postgres-server.ts';
import { repositoryRoot } from '../server/test/support/repository.ts';

const folder = join(repositoryRoot, 'server', 'src', 'model', 'postgres');

const relations = `
  SELECT concat_ws(' ', n.nspname, c.relname, c.relkind, c.oid, c.reltype, t.typarray,
    (SELECT string_agg(a.attname || ':' || at.typname
              || CASE WHEN a.attnotnull THEN '!' ELSE '' END, ' ' ORDER BY a.attnum)
       FROM pg_attribute a JOIN pg_type at ON at.oid = a.atttypid WHERE a.attrelid = c.oid AND a.attnum > 0)) AS line
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_type t ON t.oid = c.reltype
  WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v')
  ORDER BY n.nspname DESC, c.relname`;

/** Without the row types of relations, which follow from those. */
const types = `
  SELECT concat_ws(' ', t.oid, t.typname, n.nspname, t.typlen, t.typbyval::int, t.typtype, t.typcategory, t.typispreferred::int,
    t.typdelim, t.typelem, t.typarray, t.typsubscript::oid, t.typinput::oid, t.typoutput::oid, t.typreceive::oid, t.typsend::oid,
    t.typmodin::oid, t.typmodout::oid, t.typanalyze::oid, t.typalign, t.typstorage, t.typnotnull::int, t.typbasetype, t.typtypmod, t.typndims,
    t.typcollation) AS line
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_type e ON e.oid = t.typelem
  WHERE t.typrelid = 0 AND (t.typcategory <> 'A' OR e.typrelid = 0) ORDER BY t.oid`;

const functions = `
  SELECT concat_ws(' ', p.oid, p.proname, p.prorettype, array_to_string(p.proargtypes, ',')) AS line
  FROM pg_proc p WHERE p.oid IN (
    SELECT unnest(ARRAY[typsubscript, typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze]::oid[]) FROM pg_type
    UNION SELECT amhandler FROM pg_am UNION SELECT rngcanonical FROM pg_range UNION SELECT rngsubdiff FROM pg_range)
  ORDER BY p.oid`;

const keywords = "SELECT word || ' ' || catcode::text AS line FROM pg_get_keywords() ORDER BY word";

const server = await PostgresServer.start();
try {
  const lines = async (text: string) => (await server.query(text)).map(({ line }) => String(line)).join('\n');
  const doc = (what: string) =>
    `/** ${what} Written by scripts/write-postgres-catalogs.ts; NOTICE says where it comes from. */\n`;
  const file = (name: string, constant: string, what: string, text: string) =>
    writeFileSync(join(folder, name), `${doc(what)}export const ${constant} = \`\n${text}\n\`;\n`);
  file(
    'system-relations.ts',
    'systemRelations',
    'Relations of PostgreSQL 15: schema, name, kind, OIDs of the relation, of its row type and of the array of that, then the columns with their types; `!` is NOT NULL.',
    await lines(relations),
  );
  file(
    'system-types.ts',
    'systemTypes',
    'Types of PostgreSQL 15, with the columns of pg_type from oid to typcollation that a type has besides its owner.',
    await lines(types),
  );
  file(
    'system-functions.ts',
    'systemFunctions',
    'Functions that types, access methods and ranges of PostgreSQL 15 name: OID, name, type of the result, types of the arguments.',
    await lines(functions),
  );
  file(
    'system-keywords.ts',
    'systemKeywords',
    'Keywords of PostgreSQL 15 with their category: U unreserved, C no functions or types, T no tables or columns, R reserved.',
    await lines(keywords),
  );
} finally {
  await server.stop();
}
