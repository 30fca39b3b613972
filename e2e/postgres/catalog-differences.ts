interface CatalogDifference {
  /** Its number in `catalog-statements.sql`, from 0. */
  readonly statement: number;
  readonly reason: string;
}

const reasons = {
  version: 'The text of version() names this server.',
  system:
    'System relations have no indexes, constraints, toast tables and system columns here, and pg_proc and pg_opclass few rows.',
  rowtype: 'Frames have no row types.',
  database: 'There is one database.',
  reg: 'regclass and its like are announced as text.',
  own: 'Frames belong to their tenant, have no list of rights and no size.',
  set: 'Settings have values of this server, and not all of them are there.',
  ext: 'There are no extensions.',
  array: 'A null and an empty array together are null in the engine, and an empty array in PostgreSQL.',
  name: 'A column of a union that is name in PostgreSQL is text.',
  def: 'Domains of information_schema have no defaults.',
  pid: 'Each session has a number of its own.',
} as const;

const numbers: Readonly<Record<keyof typeof reasons, readonly number[]>> = {
  version: [0, 12, 18],
  system: [1, 14, 17, 29, 38, 51, 80, 91, 93, 112, 123],
  rowtype: [2, 16, 46, 47, 60],
  database: [3, 34, 75, 76, 105, 106, 174],
  reg: [66, 68, 69, 102, 103],
  own: [53, 54, 61, 73, 74, 77, 78, 85, 89, 90, 107, 108, 111],
  set: [9, 100],
  ext: [88, 110],
  array: [71],
  name: [96, 99],
  def: [180],
  pid: [187],
};

/** Where the catalogs answer other than PostgreSQL 15 on purpose. A listed difference that is not there fails as well. */
export const catalogDifferences: readonly CatalogDifference[] = Object.entries(numbers).flatMap(
  ([kind, list]) => list.map((statement) => ({ statement, reason: reasons[kind as keyof typeof reasons] })),
);
