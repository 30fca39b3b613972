import type { DuckDBConnection } from '@duckdb/node-api';
import type { EngineFunction, EngineVocabulary } from '../../ports/engine.ts';
import { allowedTableFunctions, deniedFunctions } from './statement/allowed-functions.ts';

type Row = readonly [
  name: string,
  type: string,
  parameters: readonly (string | null)[],
  description: string | null,
];

const kinds: Readonly<Record<string, EngineFunction['kind']>> = {
  scalar: 'scalar',
  macro: 'scalar',
  aggregate: 'aggregate',
  table: 'table',
};

/** Of a description: a sentence or two. */
const descriptionMax = 300;

/** What the engine itself knows, without operators, what is for its own use, and what no statement may call. */
export async function readVocabulary(connection: DuckDBConnection): Promise<EngineVocabulary> {
  const functions = await connection.runAndReadAll(`
    SELECT function_name, function_type, parameters, description FROM duckdb_functions()
    WHERE regexp_full_match(function_name, '[a-z][a-z0-9_]*')
    ORDER BY function_name, function_type, description IS NULL, len(parameters) DESC`);
  const keywords = await connection.runAndReadAll(
    'SELECT DISTINCT upper(keyword_name) AS keyword FROM duckdb_keywords() ORDER BY keyword',
  );
  const known = new Map<string, EngineFunction>();
  for (const row of functions.getRowsJson() as unknown as Row[]) {
    const offered = offeredFunction(row);
    // The first of several with the same name has a description and the most parameters.
    if (offered !== null && !known.has(`${offered.kind} ${offered.name}`))
      known.set(`${offered.kind} ${offered.name}`, offered);
  }
  return {
    functions: [...known.values()],
    keywords: keywords.getRowsJson().map(([keyword]) => String(keyword)),
  };
}

function offeredFunction([name, type, parameters, description]: Row): EngineFunction | null {
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === undefined) return null;
  const isAllowed = kind === 'table' ? allowedTableFunctions.has(name) : !deniedFunctions.has(name);
  if (!isAllowed) return null;
  return {
    name,
    kind,
    parameters: parameters.map((parameter) => parameter ?? '…'),
    description: description === null ? null : description.slice(0, descriptionMax),
  };
}
