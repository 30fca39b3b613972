import type { Command, Flag } from '../command.ts';
import { flagsOf } from '../parse-call.ts';

/** What the shell completes by itself. */
export const files = ':files';

export interface CompletionSources {
  readonly commands: readonly Command[];
  /** Commands of the server. */
  readonly serverCommands: readonly string[];
  /** Names of frames that begin with this. `flags` are those on the line that say which server. */
  readonly frames: (prefix: string, flags: ReadonlyMap<string, string>) => Promise<readonly string[]>;
}

/** Candidates for the last of the words, which may be empty. The first is the command. */
export async function completeWords(
  words: readonly string[],
  { commands, serverCommands, frames }: CompletionSources,
): Promise<readonly string[]> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const [first] = before;
  if (first === undefined)
    return startingWith(current, [...commands.map(({ name }) => name), ...serverCommands]);
  if (first === 'help')
    return startingWith(
      current,
      commands.map(({ name }) => name),
    );
  const command = commands.find(({ name }) => name === first);
  if (command === undefined) return [files];
  const flags = flagsOf(command);
  const { flag, rest, given } = readLine(before.slice(1), flags);
  // bash makes a word of `=`, and gives it alone right after it was typed.
  if (flag !== undefined) return valuesOf(flag, current === '=' ? '' : current);
  if (current.startsWith('-'))
    return startingWith(
      current,
      flags.map(({ name }) => `--${name}`),
    );
  return await wordCandidates(command, rest.length, current, (prefix) => frames(prefix, given));
}

async function wordCandidates(
  { wordKinds, wordsMax }: Command,
  position: number,
  current: string,
  frames: (prefix: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  if (position >= wordsMax) return [];
  switch (wordKinds[Math.min(position, wordKinds.length - 1)]) {
    case 'file':
      return [files];
    case 'shell':
      return startingWith(current, ['bash', 'zsh', 'fish']);
    case 'frame':
      return current.includes('@') ? [] : startingWith(current, await frames(current));
    default:
      return [];
  }
}

function valuesOf({ values, value }: Flag, current: string): readonly string[] {
  if (values !== undefined) return startingWith(current, values);
  return value === 'FILE' || value === 'DIR' ? [files] : [];
}

/** The flag whose value comes next, the words that are no flags, and the values of flags. */
function readLine(
  words: readonly string[],
  flags: readonly Flag[],
): {
  readonly flag: Flag | undefined;
  readonly rest: readonly string[];
  readonly given: ReadonlyMap<string, string>;
} {
  const given = new Map<string, string>();
  const rest: string[] = [];
  let flag: Flag | undefined;
  for (const word of words) {
    // bash makes words of these, too.
    if (word === '=') continue;
    if (word === '@' || rest.at(-1)?.endsWith('@')) {
      rest.push(`${rest.pop() ?? ''}${word}`);
      continue;
    }
    if (flag !== undefined) {
      given.set(flag.name, word);
      flag = undefined;
      continue;
    }
    if (!word.startsWith('-') || word === '-') {
      rest.push(word);
      continue;
    }
    const [written = '', value] = word.split('=', 2);
    const found = flags.find(({ name, short }) => written === `--${name}` || written === `-${short}`);
    if (found?.value === undefined) continue;
    if (value === undefined) flag = found;
    else given.set(found.name, value);
  }
  return { flag, rest, given };
}

function startingWith(start: string, words: readonly string[]): readonly string[] {
  return words.filter((word) => word.startsWith(start));
}
