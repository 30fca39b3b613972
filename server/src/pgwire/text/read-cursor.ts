import { FrameholdError } from '../../model/errors.ts';
import type { Command } from './command.ts';
import type { Words } from './words.ts';

export function readDeclare(words: Words): Command {
  const name = words.identifier();
  const options = ['BINARY', 'INSENSITIVE', 'ASENSITIVE'] as const;
  for (;;) {
    if (words.acceptOne(...options) !== null || words.accept('NO', 'SCROLL')) continue;
    if (words.accept('SCROLL'))
      throw onlyForward('A cursor of this server reads its rows once, from the first to the last.');
    break;
  }
  if (!words.accept('CURSOR')) throw words.unexpected();
  const isHeld = words.accept('WITH', 'HOLD');
  if (!isHeld) words.accept('WITHOUT', 'HOLD');
  if (!words.accept('FOR')) throw words.unexpected();
  return { kind: 'declare', name, isHeld, inner: { text: words.text.slice(words.at), start: words.at } };
}

/** `FETCH [FORWARD] [n | ALL | NEXT] [FROM | IN] name`. */
export function readFetch(words: Words, kind: 'fetch' | 'move'): Command {
  const rows = readCount(words);
  words.acceptOne('FROM', 'IN');
  return { kind, name: words.identifier(), rows };
}

function readCount(words: Words): number | null {
  if (words.acceptOne('BACKWARD', 'PRIOR', 'FIRST', 'LAST', 'ABSOLUTE', 'RELATIVE') !== null)
    throw onlyForward('A cursor of this server only goes forward.');
  if (words.accept('NEXT')) return 1;
  const isForward = words.accept('FORWARD');
  if (words.accept('ALL')) return null;
  const rows = words.integer();
  if (rows === null) return isForward || words.next !== null ? 1 : null;
  if (rows < 0) throw onlyForward('A cursor of this server only goes forward.');
  return rows;
}

export function readClose(words: Words): Command {
  return { kind: 'close', name: words.accept('ALL') ? null : words.identifier() };
}

function onlyForward(detail: string): FrameholdError {
  return new FrameholdError('unimplemented', detail, {
    sqlState: '55000',
    hint: 'Declare it with NO SCROLL, and fetch FORWARD; declare it again to begin anew.',
  });
}
