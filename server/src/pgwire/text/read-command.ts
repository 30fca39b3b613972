import type { Action } from '../../frames/access/access.ts';
import type { Command } from './command.ts';
import { readCopy } from './read-copy.ts';
import { readClose, readDeclare, readFetch } from './read-cursor.ts';
import { readSessionCalls } from './read-session-calls.ts';
import { readDiscard, readReset, readSet, readShow } from './read-setting.ts';
import { readBegin, readEnd, readReleaseSavepoint, readRollback } from './read-transaction.ts';
import { Words } from './words.ts';

/** Statements that change something in PostgreSQL, with what they would be here. */
const changes: Readonly<Record<string, Action>> = {
  INSERT: 'sql.insert',
  UPDATE: 'sql.insert',
  DELETE: 'sql.insert',
  MERGE: 'sql.insert',
  CREATE: 'sql.create',
  ALTER: 'sql.create',
  COMMENT: 'sql.comment',
  GRANT: 'sql.create',
  REVOKE: 'sql.create',
  REFRESH: 'sql.create',
  DROP: 'sql.drop',
  TRUNCATE: 'sql.drop',
  VACUUM: 'sql.drop',
  REINDEX: 'sql.drop',
  CLUSTER: 'sql.drop',
};

const unsupported: Readonly<Record<string, string>> = {
  LOCK: 'Nothing needs to be locked: a statement reads versions, which never change. In place of pg_dump use framehold backup, or COPY … TO STDOUT.',
  CALL: 'Send the statement itself: there are no procedures.',
  DO: 'Send the statements one by one: there is no procedural language.',
  CHECKPOINT: 'What was put is durable when its answer arrives.',
};

const readers: Readonly<Record<string, (words: Words) => Command>> = {
  BEGIN: readBegin,
  START: readBegin,
  COMMIT: readEnd,
  END: readEnd,
  ROLLBACK: readRollback,
  ABORT: readRollback,
  SAVEPOINT: (words) => ({ kind: 'savepoint', name: words.identifier() }),
  RELEASE: readReleaseSavepoint,
  SET: readSet,
  SHOW: readShow,
  RESET: readReset,
  DISCARD: readDiscard,
  DEALLOCATE: (words) => {
    words.accept('PREPARE');
    return { kind: 'deallocate', name: words.accept('ALL') ? null : words.identifier() };
  },
  PREPARE: readPrepare,
  EXECUTE: readExecute,
  DECLARE: readDeclare,
  FETCH: (words) => readFetch(words, 'fetch'),
  MOVE: (words) => readFetch(words, 'move'),
  CLOSE: readClose,
  LISTEN: (words) => named(words, 'LISTEN'),
  UNLISTEN: (words) => (words.symbol('*') ? { kind: 'listen', tag: 'UNLISTEN' } : named(words, 'UNLISTEN')),
  NOTIFY: (words) => {
    const command = named(words, 'NOTIFY');
    if (words.symbol(',')) words.any();
    return command;
  },
};

/** Reads the first words of one statement. Throws sql_invalid for a command of the session that is not complete. */
export function readCommand(text: string): Command {
  const words = new Words(text);
  const head = words.keyword;
  if (words.next === null) return { kind: 'empty' };
  if (head === 'COPY') return readCopy(words);
  const reader = readers[head];
  if (reader !== undefined && !isTableOfDuckDb(head, words)) {
    words.advance();
    const command = reader(words);
    if (command.kind !== 'prepare' && command.kind !== 'declare') words.end();
    return command;
  }
  const action = changes[head];
  if (action !== undefined) return { kind: 'change', tag: head, action };
  const hint = unsupported[head];
  if (hint !== undefined) return { kind: 'unsupported', tag: head, hint };
  return (
    (head === 'SELECT' ? (readSignal(text) ?? readSessionCalls(text)) : null) ?? {
      kind: 'query',
      tag: queryTags.has(head) ? head : 'SELECT',
    }
  );
}

const queryTags: ReadonlySet<string> = new Set(['EXPLAIN']);

/** `SHOW TABLES` and `SHOW ALL TABLES` are queries of DuckDB. */
function isTableOfDuckDb(head: string, words: Words): boolean {
  if (head !== 'SHOW') return false;
  const ahead = new Words(words.text, words.next?.end);
  ahead.accept('ALL');
  return ahead.acceptOne('TABLES', 'DATABASES', 'SCHEMAS', 'COLUMNS') !== null;
}

/**
 * `SELECT pg_cancel_backend(1)`, alone, as tools send it, and `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = '1'`, as Superset does. The view is
 * empty: who else has a session is not told.
 */
function readSignal(text: string): Command | null {
  const words = new Words(text);
  words.advance();
  if (words.accept('PG_CATALOG')) words.symbol('.');
  const title = words.acceptOne('PG_CANCEL_BACKEND', 'PG_TERMINATE_BACKEND');
  if (title === null || !words.symbol('(')) return null;
  const backend = words.accept('PID') ? readActivity(words) : readClosed(words);
  if (backend === null || words.next !== null) return null;
  return { kind: 'signal', title: title.toLowerCase(), ends: title === 'PG_TERMINATE_BACKEND', backend };
}

function readClosed(words: Words): number | null {
  const backend = words.integer();
  return words.symbol(')') ? backend : null;
}

function readActivity(words: Words): number | null {
  if (!words.symbol(')') || !words.accept('FROM')) return null;
  if (words.accept('PG_CATALOG')) words.symbol('.');
  if (!words.accept('PG_STAT_ACTIVITY') || !words.accept('WHERE')) return null;
  if (!words.accept('PID') || !words.symbol('=')) return null;
  const written = words.string();
  if (written === null) return words.integer();
  return /^\d{1,10}$/.test(written) ? Number(written) : null;
}

function named(words: Words, tag: 'LISTEN' | 'UNLISTEN' | 'NOTIFY'): Command {
  words.identifier();
  return { kind: 'listen', tag };
}

function readPrepare(words: Words): Command {
  const name = words.identifier();
  const types = words.symbol('(') ? listIn(words) : [];
  if (!words.accept('AS')) throw words.unexpected();
  return { kind: 'prepare', name, types, inner: { text: words.text.slice(words.at), start: words.at } };
}

function readExecute(words: Words): Command {
  const name = words.identifier();
  return { kind: 'execute', name, values: words.symbol('(') ? listIn(words) : [] };
}

/** The texts between commas, up to the closing parenthesis. */
function listIn(words: Words): string[] {
  const items: string[] = [];
  let start = words.at;
  for (let depth = 1; ; ) {
    const { at } = words;
    const written = words.any();
    if (written === null) throw words.unexpected();
    if (written === '(' || written === '[') depth += 1;
    if (written === ')' || written === ']') depth -= 1;
    if (depth > 0 && !(written === ',' && depth === 1)) continue;
    const item = words.text.slice(start, at).trim();
    if (item !== '' || depth > 0) items.push(item);
    start = words.at;
    if (depth === 0) return items;
  }
}
