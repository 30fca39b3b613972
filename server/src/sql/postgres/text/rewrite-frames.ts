import type { RelationName } from './relation-names.ts';
import { RewrittenText } from './rewritten-text.ts';

/** The schema of the caller's own frames; every other one is the tenant that shares them. */
export const ownSchema = 'public';

/**
 * A statement over frames with names as this server writes them: `public.trades` is `trades`, and `alice.trades` is `"alice:trades"`. null if no name has a schema. A name in a list of
 * columns (`public.trades.id`) is not looked for.
 */
export function rewriteFrameStatement(
  text: string,
  relations: readonly RelationName[],
): RewrittenText | null {
  const named = relations.filter(({ schema }) => schema !== null && !ownSchemas.has(schema));
  if (named.length === 0) return null;
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
  for (const { schema, name, start, end, hasAlias } of named) {
    copied.add(starts.length);
    add(text.slice(at, start), at);
    const isOwn = schema === ownSchema;
    const table = quoted(isOwn ? name : `${schema}:${name}`);
    add(hasAlias || isOwn ? table : `${table} AS ${quoted(name)}`, start);
    at = end;
  }
  copied.add(starts.length);
  add(text.slice(at), at);
  return new RewrittenText(parts.join(''), starts, origins, copied);
}

/** Schemas that the engine knows itself. */
const ownSchemas: ReadonlySet<string> = new Set(['main', 'framehold', 'analytics', 'information_schema']);

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
