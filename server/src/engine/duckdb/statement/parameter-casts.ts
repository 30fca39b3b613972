import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api';
import { lowerCase } from '../sql-tokens.ts';

type Tree = Readonly<Record<string, unknown>>;

/** Types by the lower-case names of parameters, as the parser's tree has them. */
export type ParameterCasts = ReadonlyMap<string, unknown>;

/**
 * What a statement itself says about its parameters: `?::DATE`. A parameter that is used without a cast somewhere, or with two different
 * ones, is left out. The engine says the same of most, but not of a cast within a cast.
 */
export function parameterCasts(statement: unknown): ParameterCasts {
  const casts = new Map<string, unknown>();
  const unclear = new Set<string>();
  const visit = (value: unknown, castType: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const tree = value as Tree;
    if (tree.class === 'PARAMETER' && typeof tree.identifier === 'string') {
      const name = lowerCase(tree.identifier);
      const isSame = !casts.has(name) || JSON.stringify(casts.get(name)) === JSON.stringify(castType);
      if (castType === null || !isSame) unclear.add(name);
      else casts.set(name, castType);
      return;
    }
    for (const [key, member] of Object.entries(tree))
      visit(member, tree.class === 'CAST' && key === 'child' ? (tree.cast_type ?? null) : null);
  };
  visit(statement, null);
  return new Map([...casts].filter(([name]) => !unclear.has(name)));
}

/** The engine's types for these casts; none if it does not know one of them. */
export async function typesOfCasts(
  connection: DuckDBConnection,
  casts: ParameterCasts,
): Promise<ReadonlyMap<string, DuckDBType>> {
  if (casts.size === 0) return new Map();
  try {
    const reader = await connection.runAndReadAll('SELECT json_deserialize_sql($1::JSON)', [
      JSON.stringify({ error: false, statements: [{ node: selectOf(casts), named_param_map: [] }] }),
    ]);
    const statement = await connection.prepare(String(reader.value(0, 0)));
    try {
      return new Map([...casts.keys()].map((name, index) => [name, statement.columnType(index)]));
    } finally {
      statement.destroySync();
    }
  } catch {
    // A type that cannot be resolved: preparing the statement itself says why.
    return new Map();
  }
}

/** `SELECT CAST(NULL AS …), …` as a tree. */
function selectOf(casts: ParameterCasts): Tree {
  const absent = {
    class: 'CONSTANT',
    type: 'VALUE_CONSTANT',
    alias: '',
    query_location: 0,
    value: { type: { id: 'NULL', type_info: null }, is_null: true },
  };
  return {
    type: 'SELECT_NODE',
    modifiers: [],
    cte_map: { map: [] },
    select_list: [...casts.values()].map((castType) => ({
      class: 'CAST',
      type: 'OPERATOR_CAST',
      alias: '',
      query_location: 0,
      child: absent,
      cast_type: castType,
      try_cast: false,
    })),
    from_table: { type: 'EMPTY', alias: '', sample: null, query_location: 0 },
    where_clause: null,
    group_expressions: [],
    group_sets: [],
    aggregate_handling: 'STANDARD_HANDLING',
    having: null,
    sample: null,
    qualify: null,
  };
}
