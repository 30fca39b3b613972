import { readdirSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { ProcessEngine, type ProcessEngineOptions } from '../../src/engine/process-engine.ts';
import type { EngineStatement } from '../../src/ports/engine.ts';
import type { Observation } from '../../src/ports/observation.ts';
import type { IpcMessage } from '../../src/ports/renderer.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

export interface Pool {
  readonly engine: ProcessEngine;
  readonly tempDirectory: string;
  readonly observations: Observation[];
}

/** Limits of a pool that tests do not care about. */
export function poolOptions(tempDirectory: string): ProcessEngineOptions {
  return {
    module: new URL('./sample-engine.ts', import.meta.url),
    processesMax: 2,
    threads: 1,
    memoryBytes: 256 * 1024 ** 2,
    reserveBytes: () => 0,
    tempBytesMax: 1024 ** 3,
    tempDirectory,
    analyticsPath: null,
    timeoutMs: 60_000,
    queueMax: 1_000,
    queueWaitMs: 60_000,
    observe: () => {},
  };
}

export async function startPool(test: TestContext, some: Partial<ProcessEngineOptions> = {}): Promise<Pool> {
  const tempDirectory = temporaryFolder('engine');
  const observations: Observation[] = [];
  const engine = await ProcessEngine.open({
    ...poolOptions(tempDirectory),
    observe: (observation) => observations.push(observation),
    ...some,
  });
  test.after(async () => {
    await engine.close();
    removeFolder(tempDirectory);
  });
  return { engine, tempDirectory, observations };
}

export const never = (): AbortSignal => new AbortController().signal;

/** A statement from its beginning to its last row, as texts of the headers. */
export async function runWhole(engine: ProcessEngine, sql: string, signal = never()): Promise<string[]> {
  const statement = await engine.begin(sql, 'acme', signal);
  try {
    await statement.bind({ tables: [], insertInto: null });
    const texts: string[] = [];
    for await (const message of statement.run(null)) texts.push(textOf(message));
    return texts;
  } finally {
    await statement.close();
  }
}

/** A statement that has given its first batch. */
export async function runToFirst(
  engine: ProcessEngine,
  sql: string,
  signal = never(),
): Promise<{ statement: EngineStatement; rows: AsyncIterator<IpcMessage>; first: string }> {
  const statement = await engine.begin(sql, 'acme', signal);
  const rows = statement.run(null)[Symbol.asyncIterator]();
  const { value } = await rows.next();
  return { statement, rows, first: textOf(value) };
}

export function textOf(message: IpcMessage): string {
  return new TextDecoder().decode(message.header);
}

/** Milliseconds until it transcodes, however it does. */
export async function took(work: Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work.catch(() => {});
  return performance.now() - since;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export function directoriesIn(folder: string): readonly string[] {
  return readdirSync(folder);
}
