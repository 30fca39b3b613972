import { FrameholdError } from '../../model/errors.ts';

/** The only names that people choose freely: those of frames, tenants and tokens are ASCII. */
const charactersMax = 128;

/** A name that can be in the catalog: earlier releases took some that are refused now, and these can still be removed. */
export function checkStoredName(name: string): void {
  const characters = [...name.slice(0, 2 * charactersMax + 1)];
  const isControl = (character: string) => character < ' ' || character === '\x7f';
  if (characters.length <= charactersMax && name.isWellFormed() && !characters.some(isControl)) {
    if (name.trim() !== '') return;
  }
  throw unusable(`Give 1 to ${charactersMax} characters, not only spaces, and no control characters.`);
}

/** A name for a new query: one that clients can send in a path, and that does not look like another one. */
export function checkNewName(name: string): void {
  checkStoredName(name);
  if (name === '.' || name === '..')
    throw unusable('Give another name: clients take these for parts of a path.');
  if ([...name].some(isInvisible))
    throw unusable(
      'Leave out control characters, and those that change the direction of text or have no width.',
    );
  if (name.normalize('NFC') !== name)
    throw unusable('Give it in Unicode normalization form C, so that no other name looks the same.');
}

/** C1 controls, separators of lines, marks of direction, and spaces without a width. Not the joiners, which emoji and some scripts need. */
const invisible: readonly (readonly [first: number, last: number])[] = [
  [0x80, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x180e, 0x180e],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
];

function isInvisible(character: string): boolean {
  const code = character.codePointAt(0) as number;
  return invisible.some(([first, last]) => code >= first && code <= last);
}

function unusable(hint: string): FrameholdError {
  return new FrameholdError('bad_request', 'The name of the saved query is not usable.', { hint });
}
