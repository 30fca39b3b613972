import { systemRelations } from './system-relations.ts';

interface SystemColumn {
  readonly name: string;
  /** As pg_type calls it. */
  readonly type: string;
  readonly isNotNull: boolean;
}

/** A relation of PostgreSQL's own schemas. */
export interface SystemRelation {
  readonly schema: string;
  readonly name: string;
  readonly kind: string;
  readonly oid: number;
  readonly rowType: number;
  /** Of rows; 0 if there is none. */
  readonly arrayType: number;
  readonly columns: readonly SystemColumn[];
}

export const relations: readonly SystemRelation[] = systemRelations.trim().split('\n').map(readRelation);

/** By `schema.name`. */
const byName = new Map(relations.map((relation) => [`${relation.schema}.${relation.name}`, relation]));

/** null if PostgreSQL has none of this name. Without a schema one of pg_catalog is meant, which PostgreSQL searches first. */
export function systemRelation(schema: string | null, name: string): SystemRelation | null {
  return byName.get(`${schema ?? 'pg_catalog'}.${name}`) ?? null;
}

function readRelation(line: string): SystemRelation {
  const [schema = '', name = '', kind = '', oid, rowType, arrayType, ...columns] = line.split(' ');
  return {
    schema,
    name,
    kind,
    oid: Number(oid),
    rowType: Number(rowType),
    arrayType: Number(arrayType),
    columns: columns.map(readColumn),
  };
}

function readColumn(text: string): SystemColumn {
  const [name = '', type = ''] = text.split(':');
  const isNotNull = type.endsWith('!');
  return { name, type: isNotNull ? type.slice(0, -1) : type, isNotNull };
}
