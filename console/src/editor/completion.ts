import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from '@codemirror/autocomplete';
import { type NamedTable, namedTables, unquoted } from '../sql/named-tables.ts';
import { quotedName } from '../sql/sql-names.ts';
import { splitStatements, statementAt } from '../sql/statements.ts';
import type { SqlCatalog } from './sql-catalog.ts';
import { keywordNames } from './sql-dialect.ts';

/** A longer text is completed from the part around the cursor only: completion must not be felt while typing. */
const lookAroundMax = 100_000;

/** Columns, frames, functions and keywords. Those that are asked from the server come when they come: nobody waits for them. */
export function completionSources(catalog: SqlCatalog): CompletionSource[] {
  return [
    (context) => completeColumns(context, catalog),
    (context) => completeFrames(context, catalog),
    (context) => completeFunctions(context, catalog),
    completeKeywords,
  ];
}

/** The word or the quoted name before the cursor, and what stands before it with a dot: `t."colu`. */
const beforeCursor =
  /(?:("(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)\s*\.\s*)?("(?:[^"]|"")*|[\p{L}_][\p{L}\p{N}_$]*)?$/u;

interface Wanted {
  readonly from: number;
  /** The letters so far, without quotes. */
  readonly letters: string;
  readonly owner: string | null;
}

function wantedAt(context: CompletionContext): Wanted | null {
  const line = context.state.doc.lineAt(context.pos);
  // A name of a frame or a column has at most 255 characters.
  const from = Math.max(line.from, context.pos - 600);
  const found = beforeCursor.exec(context.state.sliceDoc(from, context.pos));
  if (found === null) return null;
  const [, owner, word = ''] = found;
  if (word === '' && owner === undefined && !context.explicit) return null;
  return {
    from: context.pos - word.length,
    letters: word.startsWith('"') ? unquoted(`${word}"`) : word,
    owner: owner === undefined ? null : owner.startsWith('"') ? unquoted(owner) : owner,
  };
}

function statementAround(context: CompletionContext): string {
  const { doc } = context.state;
  const from = Math.max(0, context.pos - lookAroundMax);
  const text = doc.sliceString(from, Math.min(doc.length, context.pos + lookAroundMax));
  const cursor = context.pos - from;
  const found = statementAt(text, cursor, splitStatements(text));
  return found === null ? '' : text.slice(found.from, Math.max(found.to, cursor));
}

async function completeColumns(
  context: CompletionContext,
  catalog: SqlCatalog,
): Promise<CompletionResult | null> {
  const wanted = wantedAt(context);
  if (wanted === null) return null;
  const tables = namedTables(statementAround(context)).filter((table) => isOwner(table, wanted.owner));
  const found = await Promise.all(tables.map((table) => catalog.columnsOf(table.name)));
  if (context.aborted) return null;
  const options = tables.flatMap((table, index) =>
    (found[index] ?? []).map((column) => ({
      ...named(column.name, 'property'),
      detail: tables.length > 1 ? `${column.type} · ${table.alias}` : column.type,
      boost: 20,
    })),
  );
  return options.length === 0 ? null : { from: wanted.from, options, validFor: wordOrQuoted };
}

async function completeFrames(
  context: CompletionContext,
  catalog: SqlCatalog,
): Promise<CompletionResult | null> {
  const wanted = wantedAt(context);
  if (wanted === null || wanted.owner !== null) return null;
  const abort = new AbortController();
  context.addEventListener('abort', () => abort.abort());
  const frames = await catalog.frames(wanted.letters, abort.signal);
  if (context.aborted || frames.length === 0) return null;
  const isExpected = /\b(from|join|into|table|describe|summarize|,)\s+["\p{L}\p{N}_$]*$/iu.test(
    context.state.sliceDoc(Math.max(0, context.pos - 300), context.pos),
  );
  const options = frames.map((frame) => ({
    ...named(frame.name, 'class'),
    detail: frame.detail,
    boost: isExpected ? 60 : 0,
  }));
  // Not kept while typing goes on: the server is asked for names with the longer beginning.
  return { from: wanted.from, options };
}

/** Functions and keywords by their first letters only: anywhere in the word, they would hide the names of frames and columns. */
async function completeFunctions(
  context: CompletionContext,
  catalog: SqlCatalog,
): Promise<CompletionResult | null> {
  const wanted = wantedAt(context);
  if (wanted === null || wanted.owner !== null || wanted.letters === '') return null;
  const letters = wanted.letters.toLowerCase();
  const options = (await catalog.functions()).filter(({ label }) => label.startsWith(letters));
  return context.aborted || options.length === 0 ? null : { from: wanted.from, options };
}

function completeKeywords(context: CompletionContext): CompletionResult | null {
  const wanted = wantedAt(context);
  if (wanted === null || wanted.owner !== null || wanted.letters === '') return null;
  const letters = wanted.letters.toLowerCase();
  const options = keywordNames
    .filter((label) => label.startsWith(letters))
    .map((label) => ({ label, type: 'keyword', boost: -20 }));
  return options.length === 0 ? null : { from: wanted.from, options };
}

const wordOrQuoted = /^"?[\p{L}\p{N}_$ ]*$/u;

function isOwner({ name, alias }: NamedTable, owner: string | null): boolean {
  const wanted = owner?.toLowerCase();
  return wanted === undefined || alias.toLowerCase() === wanted || name.toLowerCase() === wanted;
}

function named(name: string, type: string): Completion {
  const shown = quotedName(name);
  // Letters that are typed with a quote must match too.
  return { label: shown, displayLabel: name, type };
}
