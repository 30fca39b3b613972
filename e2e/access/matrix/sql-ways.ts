import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { shortJavaOptions } from '../../../server/test/support/java.ts';
import { runPython } from '../../../server/test/support/python.ts';
import { jdbcDriver } from '../../../server/test/support/repository.ts';
import type { Cell, Holder } from './cells.ts';
import type { SqlHow } from './sql-asks.ts';
import { hidden, type Outcome, type Stage } from './stage.ts';

type SqlCell = Cell<(handle: string) => SqlHow>;

/** One Python process, with one connection for each holder. */
export async function askAdbc(
  stage: Stage,
  cells: readonly SqlCell[],
  optionsOf: (cell: SqlCell) => Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, Outcome>> {
  const holders: Partial<Record<Holder, Readonly<Record<string, string>>>> = {};
  for (const cell of cells) holders[cell.holder] ??= optionsOf(cell);
  const request = {
    url: stage.framehold.grpcUrl,
    column: hidden,
    holders,
    cells: cells.map(({ id, holder, ask, handle }) => ({ id, holder, how: adbcWords(ask.how(handle)) })),
  };
  const answer = await runPython([join(import.meta.dirname, 'matrix_adbc.py')], request);
  return new Map(Object.entries(answer as Record<string, Outcome>));
}

function adbcWords({ kind, text: words }: SqlHow): Record<string, string> {
  const [verb = '', mode] = kind.split(' ');
  return verb === 'ingest'
    ? { kind: verb, name: words, mode: mode ?? '' }
    : { kind, sql: words, name: words };
}

/** One Java process, with one connection for each holder. */
export async function askJdbc(
  stage: Stage,
  cells: readonly SqlCell[],
  tokenOf: (cell: SqlCell) => string | undefined,
): Promise<ReadonlyMap<string, Outcome>> {
  const tokens: Partial<Record<Holder, string>> = {};
  const lines = cells.map((cell, index) => {
    tokens[cell.holder] ??= tokenOf(cell) ?? '';
    const { kind, text: words } = cell.ask.how(cell.handle);
    return [index, cell.holder, tokens[cell.holder], kind, words].join('\t');
  });
  const options = [...shortJavaOptions, '-Xmx512m'];
  const program = join(import.meta.dirname, '..', '..', 'jdbc', 'MatrixCells.java');
  const java = spawn(
    'java',
    [...options, '-cp', jdbcDriver, program, new URL(stage.framehold.grpcUrl).host],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: 900_000,
    },
  );
  java.stdin.end(`${lines.join('\n')}\n`);
  const [out, errors] = await Promise.all([text(java.stdout), text(java.stderr)]);
  const answers = out.split('cells\n').at(-1)?.trimEnd().split('\n') ?? [];
  if (answers.length !== cells.length) throw new Error(`the Java program failed: ${out}\n${errors}`);
  return new Map(
    answers.map((line) => {
      const [index, kind = '', said = ''] = line.split('\t');
      return [cells[Number(index)]?.id ?? '', { kind, text: said }];
    }),
  );
}
