/** Commands for frames on a server. They are a program of their own, the workspace `cli`, which loads nothing of the server. */
export const frameCommands = [
  'put',
  'get',
  'ls',
  'show',
  'head',
  'sql',
  'rm',
  'undrop',
  'link',
  'tag',
  'note',
  'diff',
  'watch',
  'login',
  'logout',
  'doctor',
  'completion',
] as const;

/** Of `restore`: a version of a frame. A directory of backups with such a name can be written as `./name@1`. */
const versionedName = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,200}@[1-9][0-9]{0,14}$/;

/** Of every command for frames that talks to a server; each takes a value. They may also be written before the command. */
export const connectionFlags: readonly string[] = ['--url', '--profile', '--token-file', '--ca'];

/** Of `restore NAME@VERSION`; with any other flag, such as --data-dir, a backup is meant. */
const frameRestoreFlags = [...connectionFlags, '--format', '--help', '-h'];

function isFrameRestore(word: string, rest: readonly string[]): boolean {
  const flags = rest.filter((each) => each.startsWith('-')).map((each) => each.split('=', 1)[0] ?? '');
  return versionedName.test(word) && flags.every((flag) => frameRestoreFlags.includes(flag));
}

/** Arguments of a command for frames: its name first. Null for the server's own commands. */
export function frameCommandIn(argv: readonly string[]): readonly string[] | null {
  const flagWords = connectionWords(argv);
  if (flagWords > 0) {
    const [command, ...rest] = frameCommandIn(argv.slice(flagWords)) ?? [];
    return command === undefined ? null : [command, ...argv.slice(0, flagWords), ...rest];
  }
  const [first = '', second = ''] = argv;
  if ((frameCommands as readonly string[]).includes(first)) return argv;
  if (first === 'help' && argv.length === 2) {
    const named = frameCommandIn([second]);
    return named === null ? null : [second, '--help'];
  }
  return first === 'restore' && isFrameRestore(second, argv.slice(2)) ? argv : null;
}

/** How many words at the beginning are flags of the connection and their values. */
export function connectionWords(argv: readonly string[]): number {
  let count = 0;
  for (;;) {
    const [name = '', value] = (argv[count] ?? '').split('=', 2);
    if (!connectionFlags.includes(name)) return count;
    count += value === undefined ? 2 : 1;
  }
}
