import type { SqlNode } from './nodes.ts';
import type { RelationName } from './relation-names.ts';
import { RewrittenText } from './rewritten-text.ts';
import { unquotedNames } from './unquoted-names.ts';

/** The schema of the caller's own frames; every other one is the tenant that shares them. */
export const ownSchema = 'public';

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * A statement over frames with names as the engine takes them: `public.trades` is `trades`, `alice.trades` is `"alice:trades"`, and a column `at` is `"at"`, because DuckDB reserves
 * the word. null if that changes nothing. A name in a list of columns (`public.trades.id`) is not looked for.
 */
export function rewriteFrameStatement(
  text: string,
  nodes: readonly SqlNode[],
  relations: readonly RelationName[],
): RewrittenText | null {
  const tables = relations.filter(({ schema }) => schema !== null && !ownSchemas.has(schema)).map(ofTable);
  const words = unquotedNames(nodes).map((word) => ({ ...word, text: quoted(word.text) }));
  const replacements: readonly Replacement[] = [...tables, ...words].sort((a, b) => a.start - b.start);
  if (replacements.length === 0) return null;
  const parts: string[] = [];
  const starts: number[] = [];
  const origins: number[] = [];
  const copied = new Set<number>();
  let at = 0;
  let length = 0;
  const add = (part: string, origin: number) => {
    starts.push(length);
    origins.push(origin);
    parts.push(part);
    length += part.length;
  };
  for (const { start, end, text: replacement } of replacements) {
    // A word of a table's name: `show.trades`.
    if (start < at) continue;
    copied.add(starts.length);
    add(text.slice(at, start), at);
    add(replacement, start);
    at = end;
  }
  copied.add(starts.length);
  add(text.slice(at), at);
  return new RewrittenText(parts.join(''), starts, origins, copied);
}

function ofTable({ schema, name, start, end, hasAlias }: RelationName): Replacement {
  const isOwn = schema === ownSchema;
  const table = quoted(isOwn ? name : `${schema}:${name}`);
  return { start, end, text: hasAlias || isOwn ? table : `${table} AS ${quoted(name)}` };
}

/** Schemas that the engine knows itself. */
const ownSchemas: ReadonlySet<string> = new Set(['main', 'framehold', 'analytics', 'information_schema']);

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
