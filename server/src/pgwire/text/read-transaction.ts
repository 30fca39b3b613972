import type { Command, Isolation, TransactionModes } from './command.ts';
import type { Words } from './words.ts';

/** `BEGIN [WORK | TRANSACTION] [modes]`, `START TRANSACTION [modes]`; the first word is taken. */
export function readBegin(words: Words): Command {
  const isStart = words.text.slice(0, words.at).toUpperCase().includes('START');
  if (isStart && !words.accept('TRANSACTION')) throw words.unexpected();
  if (!isStart) words.acceptOne('WORK', 'TRANSACTION');
  return { kind: 'begin', tag: isStart ? 'START TRANSACTION' : 'BEGIN', modes: readModes(words) };
}

export function readEnd(words: Words): Command {
  words.acceptOne('WORK', 'TRANSACTION');
  return { kind: 'commit', chain: readChain(words) };
}

export function readRollback(words: Words): Command {
  words.acceptOne('WORK', 'TRANSACTION');
  if (!words.accept('TO')) return { kind: 'rollback', chain: readChain(words) };
  words.accept('SAVEPOINT');
  return { kind: 'rollback-to', name: words.identifier() };
}

export function readReleaseSavepoint(words: Words): Command {
  words.accept('SAVEPOINT');
  return { kind: 'release', name: words.identifier() };
}

function readChain(words: Words): boolean {
  if (!words.accept('AND')) return false;
  const isNot = words.accept('NO');
  if (!words.accept('CHAIN')) throw words.unexpected();
  return !isNot;
}

/** With or without commas between them, as PostgreSQL allows. */
export function readModes(words: Words): TransactionModes {
  const modes: { isolation?: Isolation; readOnly?: boolean } = {};
  while (words.next !== null) {
    words.symbol(',');
    if (words.accept('ISOLATION', 'LEVEL')) modes.isolation = readIsolation(words);
    else if (words.accept('READ', 'ONLY')) modes.readOnly = true;
    else if (words.accept('READ', 'WRITE')) modes.readOnly = false;
    else if (!words.accept('NOT', 'DEFERRABLE') && !words.accept('DEFERRABLE')) throw words.unexpected();
  }
  return modes;
}

function readIsolation(words: Words): Isolation {
  if (words.accept('SERIALIZABLE')) return 'serializable';
  if (words.accept('REPEATABLE', 'READ')) return 'repeatable read';
  if (words.accept('READ', 'COMMITTED')) return 'read committed';
  // The same as READ COMMITTED but for its name, as in PostgreSQL.
  if (words.accept('READ', 'UNCOMMITTED')) return 'read uncommitted';
  throw words.unexpected();
}
