import { FrameholdError } from '../../model/errors.ts';
import { sessionFunctions } from '../../model/postgres/catalog-functions.ts';
import { systemRelation } from '../../model/postgres/relations.ts';
import { sessionWords } from './text/keywords.ts';
import { readNodes } from './text/nodes.ts';
import { namesIn, type RelationName } from './text/relation-names.ts';
import { rewriteCatalogStatement } from './text/rewrite-catalog.ts';
import { rewriteFrameStatement } from './text/rewrite-frames.ts';
import type { RewrittenText } from './text/rewritten-text.ts';
import { objectTypes } from './text/type-names.ts';

/** A statement that a client of PostgreSQL has sent, as this server runs it. */
export type PostgresStatement =
  /** Over frames, or over nothing. null: it runs as it is written. */
  | { readonly reads: 'frames'; readonly rewritten: RewrittenText | null }
  | { readonly reads: 'catalogs'; readonly rewritten: RewrittenText };

/** SQLAlchemy lists the names of all tables in one statement: ten thousand take 300 kB. Each character costs the thread that serves everybody some time. */
const catalogTextMax = 512 * 1024;

/** A longer text is looked at only if it has one of these words: then it is none over frames with a long list of values. */
const longTextMin = 64 * 1024;
const hints = ['pg_', 'information_schema', 'public'];

/** What a statement reads decides who answers it. A text that cannot be cut into words is left to the engine, which says why. */
export function readPostgresStatement(text: string): PostgresStatement {
  const isLong = text.length > longTextMin && !hints.some((hint) => text.includes(hint));
  if (isLong || text.length > catalogTextMax) return { reads: 'frames', rewritten: null };
  const nodes = read(text);
  if (nodes === null) return { reads: 'frames', rewritten: null };
  const { relations, functions, words } = namesIn(nodes);
  const ofSystem = relations.filter(isOfSystem);
  if (ofSystem.length > 0) {
    const frame = relations.find((relation) => !isOfSystem(relation));
    if (frame !== undefined) throw mixed(frame, ofSystem[0] as RelationName);
    return { reads: 'catalogs', rewritten: rewriteCatalogStatement(nodes, relations) };
  }
  const isOfSession = some(functions, sessionFunctions) || some(words, sessionWords);
  if (relations.length === 0 && (isOfSession || some(words, objectTypes)))
    return { reads: 'catalogs', rewritten: rewriteCatalogStatement(nodes, relations) };
  const rewritten = rewriteFrameStatement(text, nodes, relations);
  return { reads: 'frames', rewritten };
}

function read(text: string) {
  try {
    return readNodes(text);
  } catch (thrown) {
    if (thrown instanceof FrameholdError) return null;
    throw thrown;
  }
}

function isOfSystem({ schema, name }: RelationName): boolean {
  if (schema === 'pg_catalog' || schema === 'information_schema') return true;
  return schema === null && systemRelation(null, name) !== null;
}

function some(found: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  for (const each of found) if (wanted.has(each)) return true;
  return false;
}

function mixed(frame: RelationName, relation: RelationName): FrameholdError {
  return new FrameholdError(
    'unimplemented',
    `A statement cannot read both "${frame.name}" and PostgreSQL's catalogs ("${relation.name}").`,
    {
      sqlState: '0A000',
      hint: 'Read the catalogs in a statement of its own.',
    },
  );
}
