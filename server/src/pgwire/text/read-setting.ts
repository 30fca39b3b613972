import type { Command } from './command.ts';
import { readModes } from './read-transaction.ts';
import type { Words } from './words.ts';

export function readSet(words: Words): Command {
  if (words.accept('SESSION', 'CHARACTERISTICS', 'AS', 'TRANSACTION'))
    return { kind: 'set-transaction', modes: readModes(words), isSession: true };
  const scope = words.acceptOne('LOCAL', 'SESSION');
  if (scope === null && words.accept('TRANSACTION'))
    return { kind: 'set-transaction', modes: readModes(words), isSession: false };
  const isLocal = scope === 'LOCAL';
  if (words.accept('TIME', 'ZONE'))
    return { kind: 'set', name: 'timezone', value: readValues(words), isLocal };
  if (words.accept('NAMES'))
    return { kind: 'set', name: 'client_encoding', value: readValues(words), isLocal };
  const name = readName(words);
  if (!words.symbol('=') && !words.accept('TO')) throw words.unexpected();
  return { kind: 'set', name, value: readValues(words), isLocal };
}

export function readShow(words: Words): Command {
  if (words.accept('ALL')) return { kind: 'show', name: null };
  if (words.accept('TRANSACTION', 'ISOLATION', 'LEVEL'))
    return { kind: 'show', name: 'transaction_isolation' };
  if (words.accept('TIME', 'ZONE')) return { kind: 'show', name: 'timezone' };
  if (words.accept('SESSION', 'AUTHORIZATION')) return { kind: 'show', name: 'session_authorization' };
  return { kind: 'show', name: readName(words) };
}

export function readReset(words: Words): Command {
  if (words.accept('ALL')) return { kind: 'reset', name: null };
  if (words.accept('TIME', 'ZONE')) return { kind: 'reset', name: 'timezone' };
  return { kind: 'reset', name: readName(words) };
}

export function readDiscard(words: Words): Command {
  if (words.accept('TEMPORARY')) return { kind: 'discard', what: 'TEMP' };
  const what = words.acceptOne('ALL', 'PLANS', 'SEQUENCES', 'TEMP');
  if (what === null) throw words.unexpected();
  return { kind: 'discard', what };
}

/** Names of settings are the same in any case. */
function readName(words: Words): string {
  let name = words.identifier();
  while (words.symbol('.')) name += `.${words.identifier()}`;
  return name.toLowerCase();
}

/** One value or several between commas; null for DEFAULT, and LOCAL of a time zone. */
function readValues(words: Words): string | null {
  if (words.acceptOne('DEFAULT', 'LOCAL') !== null) return null;
  const values: string[] = [];
  do {
    if (words.next === null) throw words.unexpected();
    const integer = words.integer();
    values.push(integer === null ? (words.string() ?? readWord(words)) : String(integer));
  } while (words.symbol(','));
  return values.join(', ');
}

function readWord(words: Words): string {
  // A number with a point, or -0.5.
  if (words.next?.kind === 'number') return words.any() ?? '';
  if (words.symbol('-')) return `-${words.any() ?? ''}`;
  return words.identifier();
}
