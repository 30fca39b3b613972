import type { Call } from '../command.ts';

/** Whether a person reads the answer: `--format`, else whether standard output is a terminal. */
export function wantsTable({ options, output }: Pick<Call, 'options' | 'output'>, flag = 'format'): boolean {
  const format = options.text(flag);
  return format === undefined ? output.isTerminal : format === 'table';
}

/** For programs: an object as one line of JSON. */
export async function printJson({ output }: Pick<Call, 'output'>, value: object): Promise<void> {
  await output.line(JSON.stringify(value));
}
