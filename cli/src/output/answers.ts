import type { Options } from '../options.ts';
import type { StandardOutput } from './standard-output.ts';

interface Answer {
  readonly options: Options;
  readonly output: StandardOutput;
}

/** Whether a person reads the answer: `--format`, else whether standard output is a terminal. */
export function wantsTable({ options, output }: Answer, flag = 'format'): boolean {
  const format = options.text(flag);
  return format === undefined ? output.isTerminal : format === 'table';
}

/** For programs: an object as one line of JSON. */
export async function printJson({ output }: Pick<Answer, 'output'>, value: object): Promise<void> {
  await output.line(JSON.stringify(value));
}
