import { parseArgs } from 'node:util';
import { suggest } from '../base/nearest-name.ts';
import { flagsOf } from '../config/setting-names.ts';
import { settingKeys, settingOf } from '../config/settings.ts';
import { UsageError } from '../config/usage-error.ts';
import { limitNames } from '../model/limits/tenant-limit-values.ts';
import type { CommandWords } from './command-words.ts';
import { connectionFlags, connectionWords, frameCommands } from './frame-commands.ts';
import { serverCommands, settingCommands } from './server-commands.ts';
import { suggestFlag } from './suggest-flag.ts';
import { limitFlag } from './tenant.ts';

/** Those that take words of their own before the flags. */
const wordCommands: readonly Command[] = [
  'token',
  'tenant',
  'backup',
  'restore',
  'migrate',
  'accept-restore',
];
type Command = (typeof serverCommands)[number];

/** The command line, parsed. */
export interface Arguments {
  readonly command: Command;
  /** Settings by flag name, not yet validated. */
  readonly flags: ReadonlyMap<string, string>;
  readonly configFile: string | undefined;
  readonly readyFile: string | undefined;
  readonly json: boolean;
  /** Only with `wordCommands`. */
  readonly words?: CommandWords;
}

/** What may follow a switch: `--mcp-enabled true` is what people write who know other programs. */
const switchWords: readonly string[] = ['true', 'false'];

/** Flags that are not settings; a switch needs no value. */
const ownFlags = new Map<string, { readonly isSwitch: boolean; readonly commands: readonly Command[] }>([
  ['config', { isSwitch: false, commands: settingCommands }],
  ['ready-file', { isSwitch: false, commands: ['server'] }],
  [
    'json',
    { isSwitch: true, commands: ['config', 'verify', 'token', 'tenant', 'backup', 'restore', 'migrate'] },
  ],
  ['keep', { isSwitch: false, commands: ['backup'] }],
  ['at', { isSwitch: false, commands: ['restore'] }],
  ...['tenant', 'scope', 'ttl', 'name', 'certificate'].map(
    (name) => [name, { isSwitch: false, commands: ['token'] as const }] as const,
  ),
  ...limitNames.map((name) => [limitFlag(name), { isSwitch: false, commands: ['tenant'] as const }] as const),
]);
const settingSwitches = new Map(
  settingKeys.flatMap((key) => flagsOf(key).map((flag) => [flag, settingOf(key).kind.placeholder === null])),
);
/** A setting is given once, by either of its names. */
const firstNames = new Map(settingKeys.flatMap((key) => flagsOf(key).map((flag) => [flag, flagsOf(key)[0]])));
const flagOptions = Object.fromEntries(
  [...ownFlags]
    .map(([name, { isSwitch }]) => [name, isSwitch] as const)
    .concat([...settingSwitches])
    .map(([name, takesNoValue]) => [name, { type: takesNoValue ? 'boolean' : 'string' }] as const),
);
const flagNames = [...settingSwitches.keys(), ...ownFlags.keys(), 'help', 'version'];

/** No words at all mean `help`, flags alone `server`. */
export function parseArguments(argv: readonly string[]): Arguments {
  if (argv.length === 0) return bare('help');
  if (argv.some((word) => word === '--help' || word === '-h')) return bare('help');
  if (argv.includes('--version')) return bare('version');
  // Before a command that is not known, these flags are not what is wrong.
  const behindFlags = argv[connectionWords(argv)];
  if (behindFlags !== undefined && !behindFlags.startsWith('-')) parseCommand(behindFlags);
  const [first = ''] = argv;
  const named = first !== '' && !first.startsWith('-');
  const command = named ? parseCommand(first) : 'server';
  const rest = named ? argv.slice(1) : argv;
  const hasWords = wordCommands.includes(command);
  const firstFlag = rest.findIndex((word) => word.startsWith('-'));
  const wordCount = !hasWords ? 0 : firstFlag === -1 ? rest.length : firstFlag;
  const [verb, ...words] = rest.slice(0, wordCount);
  const given = parseFlags(rest.slice(wordCount), command);
  const flags = new Map([...given].filter(([name]) => settingSwitches.has(name)));
  return {
    command,
    flags,
    configFile: given.get('config'),
    readyFile: given.get('ready-file'),
    json: given.get('json') === 'true',
    ...(hasWords ? { words: { verb, words, options: ownOptions(given, command) } } : {}),
  };
}

function ownOptions(given: ReadonlyMap<string, string>, command: Command): ReadonlyMap<string, string> {
  return new Map([...given].filter(([name]) => ownFlags.get(name)?.commands.join() === command));
}

function bare(command: Command): Arguments {
  return { command, flags: new Map(), configFile: undefined, readyFile: undefined, json: false };
}

function parseCommand(word: string): Command {
  const command = serverCommands.find((known) => known === word);
  if (command !== undefined) return command;
  const known = [...frameCommands, ...serverCommands];
  throw new UsageError(
    `The command ${JSON.stringify(word)} is not known.${suggest(word, known)} Allowed: ${known.join(', ')}.`,
  );
}

function parseFlags(words: readonly string[], command: Command): Map<string, string> {
  // Not strict: its errors would name neither the command nor the flag that was probably meant.
  const { tokens } = parseArgs({
    args: [...words],
    options: flagOptions,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string>();
  let openSwitch: string | null = null;
  for (const token of tokens) {
    const word = words[token.index] ?? '';
    const switched: string | null = openSwitch;
    openSwitch = null;
    if (token.kind === 'positional' && switched !== null && switchWords.includes(word)) {
      given.set(switched, word);
      continue;
    }
    if (token.kind !== 'option' || !word.startsWith('--') || word[2] === '=')
      throw new UsageError(
        `${JSON.stringify(word)} is not expected here. Allowed: --flag VALUE, --flag=VALUE.`,
      );
    const { name, value, inlineValue = false } = token;
    const needsValue = !isSwitch(name, command);
    if (needsValue && !inlineValue && (value === undefined || value.startsWith('--')))
      throw new UsageError(`The flag --${name} needs a value: --${name} VALUE or --${name}=VALUE.`);
    if (ownFlags.get(name)?.isSwitch && inlineValue && !switchWords.includes(value ?? ''))
      throw new UsageError(
        `--${name}: ${JSON.stringify(value)} is not allowed; it must be true or false, or nothing.`,
      );
    const same = [...given.keys()].find((other) => isSame(other, name));
    if (same !== undefined)
      throw new UsageError(
        same === name
          ? `The flag --${name} is given twice; once is allowed.`
          : `The flags --${same} and --${name} are the same; give one of them.`,
      );
    given.set(name, value ?? 'true');
    if (!needsValue && !inlineValue) openSwitch = name;
  }
  return given;
}

function isSwitch(name: string, command: Command): boolean {
  const setting = settingSwitches.get(name);
  if (setting !== undefined && (settingCommands as readonly Command[]).includes(command)) return setting;
  const own = ownFlags.get(name);
  if (own?.commands.includes(command)) return own.isSwitch;
  if (own !== undefined || setting !== undefined)
    throw new UsageError(`The flag --${name} is not allowed with the command ${command}.`);
  if (connectionFlags.includes(`--${name}`))
    throw new UsageError(
      `The flag --${name} is one of the commands for frames: framehold ls --${name} VALUE. Allowed with these: ${frameCommands.join(', ')}.`,
    );
  const meant = suggestFlag(name, flagNames);
  const near = meant === undefined ? '' : ` Did you mean --${meant}?`;
  throw new UsageError(
    `The flag --${name} is not known.${near} Allowed: the flags that framehold help lists.`,
  );
}

function isSame(name: string, other: string): boolean {
  return name === other || (firstNames.has(name) && firstNames.get(name) === firstNames.get(other));
}
