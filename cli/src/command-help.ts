import type { Command, Flag } from './command.ts';
import { connectionFlags } from './connection/connection-flags.ts';

/** What `framehold COMMAND --help` prints. */
export function commandHelp(command: Command): string {
  const lines = [
    `Usage: framehold ${`${command.name} ${command.words}`.trim()} [flags]`,
    '',
    `  ${capital(command.summary)}.`,
    '',
    ...(command.flags.length === 0 ? [] : ['Flags:', ...command.flags.flatMap(flagLines), '']),
    ...(command.isOffline === true ? [] : ['The server:', ...connectionFlags.flatMap(flagLines), '']),
    `Into a pipe or a file: ${command.piped}.`,
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${example}`),
    '',
  ];
  return lines.join('\n');
}

export function flagText({ name, short, value }: Flag): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}

function flagLines(flag: Flag): string[] {
  return [`  ${flagText(flag)}`, `      ${flag.doc}`];
}

function capital(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}
