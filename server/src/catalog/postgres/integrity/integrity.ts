import type { Transaction } from '../../../postgres/database.ts';

/** Names that one statement looks at: some ten milliseconds. */
const pageNames = 1_000;
/** More would not tell more. */
const faultsMax = 100;

interface NameFacts {
  readonly id: number;
  readonly tenant: string;
  readonly name: string;
  readonly newest: number | null;
  readonly kept: number;
  readonly last: number | null;
  readonly versions: number;
  readonly rows: number | null;
  readonly rows_of_parts: number;
  readonly misplaced: number;
  readonly bytes: number;
  readonly arrow_bytes: number;
  readonly forms_without_objects: number;
}

interface Held {
  readonly frames: number;
  readonly bytes: number;
  readonly arrow: number;
}

/**
 * Whether the tables agree with each other. PostgreSQL itself notices damaged pages if the cluster has checksums, and then fails to answer; this finds
 * what a wrong restore, or a hand at the tables, has left.
 */
export class Integrity {
  /** In one snapshot, so that commits go on meanwhile and change nothing of what is compared. */
  async integrity(sql: Transaction): Promise<readonly string[]> {
    sql.send('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const faults: string[] = [];
    const held = new Map<string, Held>();
    for (let after = 0; faults.length < faultsMax; ) {
      const page = await nameFacts(sql, after);
      for (const name of page) {
        faults.push(...faultsOf(name));
        held.set(name.tenant, added(held.get(name.tenant), name));
      }
      const last = page.at(-1);
      if (last === undefined || page.length < pageNames) return [...faults, ...(await miscounted(sql, held))];
      after = last.id;
    }
    return faults;
  }
}

function nameFacts(sql: Transaction, after: number): Promise<NameFacts[]> {
  return sql.rows<NameFacts>(
    `WITH RECURSIVE page AS MATERIALIZED (
      SELECT id, tenant, name, newest, kept FROM names WHERE id > $1 ORDER BY id LIMIT ${pageNames}),
    pieces (name_id, log, count, depth) AS (
      SELECT v.name_id, v.log, v.part_count, 0 FROM page n JOIN versions v ON v.name_id = n.id AND v.version = n.newest
      UNION ALL
      SELECT p.name_id, l.base_log, l.base_count, p.depth + 1 FROM pieces p JOIN logs l ON l.name_id = p.name_id AND l.log = p.log),
    placed AS (
      SELECT c.name_id, p.rows,
        sum(p.rows) OVER (PARTITION BY c.name_id ORDER BY c.depth DESC, p.seq) - p.rows <> p.first_row AS misplaced
      FROM pieces c JOIN parts p ON p.name_id = c.name_id AND p.log = c.log AND p.seq < c.count),
    read AS (
      SELECT name_id, sum(rows) AS rows, count(*) FILTER (WHERE misplaced) AS misplaced FROM placed GROUP BY name_id)
    SELECT n.id, n.tenant, n.name, n.newest, n.kept, v.last, v.versions, newest.rows,
      coalesce(read.rows, 0) AS rows_of_parts, coalesce(read.misplaced, 0) AS misplaced, p.bytes, p.arrow_bytes, p.forms_without_objects
    FROM page n
    LEFT JOIN versions newest ON newest.name_id = n.id AND newest.version = n.newest
    LEFT JOIN read ON read.name_id = n.id
    CROSS JOIN LATERAL (
      SELECT max(version) AS last, count(*) AS versions FROM versions WHERE name_id = n.id) v
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(size), 0) AS bytes, coalesce(sum(arrow_bytes), 0) AS arrow_bytes,
        count(*) FILTER (WHERE arrow_bytes IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM objects o WHERE o.part = parts.id AND o.kind = 'arrow'))
        + count(*) FILTER (WHERE parquet_exact IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM objects o WHERE o.part = parts.id AND o.kind = 'parquet'))
          AS forms_without_objects
      FROM parts WHERE name_id = n.id) p
    ORDER BY n.id`,
    [after],
  );
}

function faultsOf(facts: NameFacts): readonly string[] {
  const { newest, kept, last, versions, rows, rows_of_parts: found } = facts;
  const frame = `${facts.tenant}/${facts.name}`;
  const faults: string[] = [];
  if (newest !== last || kept !== versions)
    faults.push(
      `${frame}: its newest version is ${newest ?? 'none'} and it keeps ${kept}, but it has ${versions} up to ${last ?? 'none'}.`,
    );
  else if (rows !== null && rows !== found)
    faults.push(`${frame}@${newest}: it has ${rows} rows, and its parts have ${found}.`);
  else if (facts.misplaced > 0)
    faults.push(`${frame}@${newest}: ${facts.misplaced} of its parts are not where their rows are.`);
  if (facts.forms_without_objects > 0)
    faults.push(`${frame}: ${facts.forms_without_objects} forms of its parts have no objects.`);
  return faults;
}

function added(held: Held = { frames: 0, bytes: 0, arrow: 0 }, name: NameFacts): Held {
  return {
    frames: held.frames + (name.newest === null ? 0 : 1),
    bytes: held.bytes + name.bytes,
    arrow: held.arrow + name.arrow_bytes,
  };
}

async function miscounted(sql: Transaction, held: ReadonlyMap<string, Held>): Promise<readonly string[]> {
  const counted = await sql.rows<{ tenant: string; frames: number; bytes: number; arrow_bytes: number }>(
    'SELECT tenant, frames, bytes, arrow_bytes FROM tenants ORDER BY tenant',
  );
  return counted.flatMap(({ tenant, frames, bytes, arrow_bytes: arrow }) => {
    const has = held.get(tenant) ?? { frames: 0, bytes: 0, arrow: 0 };
    if (has.frames === frames && has.bytes === bytes && has.arrow === arrow) return [];
    return [
      `${tenant}: ${frames} frames of ${bytes} bytes (Arrow ${arrow}) are counted, and it has ${has.frames} of ${has.bytes} (Arrow ${has.arrow}).`,
    ];
  });
}
