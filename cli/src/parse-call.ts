import { parseArgs } from 'node:util';
import { nearestName } from '../../server/src/base/nearest-name.ts';
import type { Command, Flag } from './command.ts';
import { connectionFlags } from './connection/connection-flags.ts';
import { Options } from './options.ts';
import { UsageError } from './usage-error.ts';

export interface ParsedCall {
  readonly words: readonly string[];
  readonly options: Options;
  readonly wantsHelp: boolean;
}

/** What may follow a switch. */
const switchWords: readonly string[] = ['true', 'false'];

const helpFlag: Flag = { name: 'help', short: 'h', doc: 'this text' };

/** All flags that may be written behind a command. */
export function flagsOf(command: Command): readonly Flag[] {
  return [...command.flags, ...(command.isOffline === true ? [] : connectionFlags), helpFlag];
}

/** What was written behind the command. Words and flags in any order; `--` ends the flags. */
export function parseCall(command: Command, argv: readonly string[]): ParsedCall {
  const flags = flagsOf(command);
  // Not strict: its errors would not name the flag that was probably meant.
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      flags.map(({ name, short, value }) => [
        name,
        {
          type: value === undefined ? ('boolean' as const) : ('string' as const),
          ...(short ? { short } : {}),
        },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  const words: string[] = [];
  let openSwitch: string | null = null;
  for (const token of tokens) {
    const switched: string | null = openSwitch;
    openSwitch = null;
    if (token.kind === 'positional') {
      // `--link true`: whoever writes this does not name a frame `true`. Such a frame is written before the flag or behind `--`.
      if (switched !== null && switchWords.includes(token.value)) given.set(switched, [token.value]);
      else words.push(token.value);
    }
    if (token.kind !== 'option') continue;
    const flag = flags.find(({ name }) => name === token.name);
    if (flag === undefined) throw unknownFlag(command, token.rawName, flags);
    const value = flagValue(flag, token.rawName, token.value, token.inlineValue === true);
    const before = given.get(flag.name);
    if (before !== undefined && flag.many !== true)
      throw new UsageError(`${token.rawName} is given twice.`, 'Give it once.');
    given.set(flag.name, [...(before ?? []), value]);
    if (flag.value === undefined && token.inlineValue !== true) openSwitch = flag.name;
  }
  for (const { name, value } of flags)
    if (value === undefined && given.get(name)?.[0] === 'false') given.delete(name);
  const options = new Options(given);
  const wantsHelp = options.has('help');
  if (!wantsHelp) checkWords(command, words);
  return { words, options, wantsHelp };
}

function flagValue(flag: Flag, written: string, value: string | undefined, isInline: boolean): string {
  if (flag.value === undefined) {
    if (!isInline) return 'true';
    if (value !== undefined && switchWords.includes(value)) return value;
    throw new UsageError(
      `${written} ${JSON.stringify(value)} is not possible.`,
      `Write only ${written}, or true or false behind it.`,
    );
  }
  if (value === undefined || (!isInline && value.startsWith('--')))
    throw new UsageError(`${written} needs a value.`, `Write ${written} ${flag.value}.`);
  if (flag.values !== undefined && !flag.values.includes(value))
    throw new UsageError(
      `${written} ${JSON.stringify(value)} is not possible.`,
      `Allowed: ${flag.values.join(', ')}.`,
    );
  return value;
}

function unknownFlag(command: Command, written: string, flags: readonly Flag[]): UsageError {
  if (written === '--token')
    return new UsageError(
      'A token is not taken as an argument: every user of this machine could read it there.',
      'Set FRAMEHOLD_TOKEN, give --token-file FILE, or run framehold login.',
    );
  const near = nearestName(
    written,
    flags.map(({ name }) => `--${name}`),
  );
  return new UsageError(
    `framehold ${command.name} has no flag ${written}.`,
    `${near === undefined ? '' : `Did you mean ${near}? `}framehold ${command.name} --help lists its flags.`,
  );
}

function checkWords(command: Command, words: readonly string[]): void {
  const { name, wordsMin, wordsMax } = command;
  const usage = `Usage: framehold ${`${name} ${command.words}`.trim()}`;
  if (words.length < wordsMin) throw new UsageError(`framehold ${name} needs ${command.words}.`, usage);
  if (words.length > wordsMax)
    throw new UsageError(`${JSON.stringify(words[wordsMax])} is not expected here.`, usage);
}
