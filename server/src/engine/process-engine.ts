import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BufferPool } from '../base/buffer-pool.ts';
import { entryModule } from '../base/package-files.ts';
import { FrameholdError } from '../model/errors.ts';
import { EngineSlots } from '../model/limits/engine-slots.ts';
import type { EarlierRuns, Engine, EngineStatement, EngineVocabulary } from '../ports/engine.ts';
import type { Observe } from '../ports/observation.ts';
import { withoutPrivileges } from './drop-privileges.ts';
import { type Ending, EngineChild } from './engine-child.ts';
import { privateBytes } from './process-memory.ts';
import { ProcessStatement } from './process-statement.ts';
import { SpillBudget } from './spill-budget.ts';

export interface ProcessEngineOptions {
  /** The entry module of the processes, if it is not DuckDB's. */
  readonly module?: URL;
  /** Statements at once, each in a process of its own. */
  readonly processesMax: number;
  readonly threads: number;
  readonly memoryBytes: number;
  readonly tempBytesMax: number;
  /** Of the disk, which temporary files leave alone. */
  readonly reserveBytes: () => number;
  /** The engine's own: whatever is in it at the start is removed. */
  readonly tempDirectory: string;
  /** Where the Parquet files are, if that can be another filesystem: links to them are made there, in a folder that is the engine's own, too. */
  readonly linkRoot?: string;
  readonly analyticsPath: string | null;
  readonly timeoutMs: number;
  /** How long a statement may be parsed, bound and planned. */
  readonly prepareMsMax?: number;
  readonly queueMax: number;
  readonly queueWaitMs: number;
  /** How long a process that is not the last idle one may do nothing. */
  readonly idleMs?: number;
  /** How long a process may take to start. */
  readonly startMs?: number;
  readonly observe: Observe;
}

/** Statements that people and tools write take milliseconds; 140,000 values in a list ten seconds. A megabyte of other texts keeps DuckDB for many minutes, and with it a slot. */
const prepareMsDefault = 60_000;
/** A dashboard that refreshes each minute finds its processes; a burst's go soon. */
const idleMsDefault = 90_000;
/** What a process of Node with DuckDB loaded takes by itself, with room for the batches that it encodes. */
const memoryBesideBytes = 512 * 1024 ** 2;
/** DuckDB counts most of what it uses, not all: results on their way out, strings in vectors, the allocator's own. */
const memorySlack = 1.25;
/** A process may grow by 2 GB/s on two cores, and temporary files as fast: within this time not by more than the room beside, or the reserve. */
const lookMs = 100;
/** What a process keeps after a statement although nothing runs: above this, a new one is cheaper. */
const idleBytesMax = 512 * 1024 ** 2;
/** Leaks that nobody knows of end with their process. */
const statementsMax = 10_000;
/** A statement that has given its last row frees its process sooner than this. Starting another takes longer. */
const soonMs = 50;
/** What two statements have on their way at most. More statements allocate, and nothing else changes. */
const idleBatchBytesMax = 32 * 1024 ** 2;

/** SQL in a bounded number of child processes. What happens in one of them, however bad, happens to its own statement only. */
export class ProcessEngine implements Engine {
  /** For the metrics. */
  readonly name = 'sql';
  readonly #options: ProcessEngineOptions;
  readonly #linkRoot: string | undefined;
  readonly #launcher: readonly string[];
  readonly #slots: EngineSlots;
  readonly #pool = new BufferPool(idleBatchBytesMax);
  readonly #children = new Set<EngineChild>();
  /** The one used last is at the end, and taken first, if it is the tenant's: the others grow old. */
  readonly #idle: EngineChild[] = [];
  readonly #idleTimers = new Map<EngineChild, NodeJS.Timeout>();
  readonly #running = new Map<EngineChild, ProcessStatement>();
  /** Those that are bound and not needed now, longest first. */
  readonly #spare = new Map<ProcessStatement, () => boolean>();
  /** Wake those that wait for the next idle one. */
  readonly #freed: (() => void)[] = [];
  readonly #room: SpillBudget;
  #look: NodeJS.Timeout | null = null;

  private constructor(
    options: ProcessEngineOptions,
    linkRoot: string | undefined,
    launcher: readonly string[],
  ) {
    this.#options = options;
    this.#launcher = launcher;
    this.#linkRoot = linkRoot;
    this.#room = new SpillBudget(options.tempDirectory, options.reserveBytes);
    this.#slots = new EngineSlots({
      what: 'statements',
      get max() {
        return options.processesMax;
      },
      get queueMax() {
        return options.queueMax;
      },
      get waitMs() {
        return options.queueWaitMs;
      },
      setting: 'sql.processes_max',
    });
  }

  /** Sweeps what an earlier server left behind, and starts the first process. */
  static async open(options: ProcessEngineOptions): Promise<ProcessEngine> {
    const { tempDirectory, linkRoot } = options;
    const filesystem = await emptied(tempDirectory);
    const isElsewhere = linkRoot !== undefined && (await emptied(linkRoot)) !== filesystem;
    // Among the files of unfinished work nothing stays that nobody uses.
    if (linkRoot !== undefined && !isElsewhere) await rm(linkRoot, { recursive: true });
    const engine = new ProcessEngine(options, isElsewhere ? linkRoot : undefined, await withoutPrivileges());
    engine.#keepOneWarm();
    await Promise.all([...engine.#children].map(({ launched }) => launched));
    return engine;
  }

  get running(): number {
    return this.#slots.running;
  }

  get waiting(): number {
    return this.#slots.waiting;
  }

  /** Of the processes that are there, for tests and the log. */
  get processIds(): readonly number[] {
    return [...this.#children].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  async begin(
    sql: string,
    tenant: string,
    signal: AbortSignal,
    { workedMs = 0, known = null, isPostgres = false }: EarlierRuns = {},
  ): Promise<EngineStatement> {
    const statement = await this.#slot(tenant, signal, workedMs);
    try {
      await statement.begin({ sql, tenant, ...(isPostgres ? { isPostgres } : {}) }, known, signal);
      return statement;
    } catch (error) {
      statement.fail(error);
      throw error;
    }
  }

  async vocabulary(signal: AbortSignal): Promise<EngineVocabulary> {
    const statement = await this.#slot(null, signal, 0);
    try {
      return await statement.vocabulary(signal);
    } finally {
      await statement.close();
    }
  }

  /** A process for one statement, as soon as there is room for it. */
  async #slot(tenant: string | null, signal: AbortSignal, workedMs: number): Promise<ProcessStatement> {
    if (this.#slots.running >= this.#options.processesMax) this.#giveUpOne();
    const { leave, waitedMs } = await this.#slots.enter(signal, tenant ?? '');
    let child: EngineChild;
    try {
      if (this.#idle.length === 0) await this.#soonFree();
      child = this.#takeChild(tenant);
    } catch (cause) {
      leave();
      throw new FrameholdError('engine_failed', 'No engine process could be started.', { cause });
    }
    const { timeoutMs, prepareMsMax = prepareMsDefault, memoryBytes, tempBytesMax } = this.#options;
    const statement = new ProcessStatement({
      child,
      timeoutMs,
      prepareMsMax,
      memoryBytes,
      tempBytesMax,
      room: this.#room,
      waitedMs,
      workedMs,
      pool: this.#pool,
      onSpare: (giveUp) => {
        this.#spare.set(statement, giveUp);
        if (this.#slots.waiting > 0) this.#giveUpOne();
      },
      onRelease: () => {
        this.#spare.delete(statement);
        this.#running.delete(child);
        this.#putBack(child);
        leave();
      },
    });
    this.#running.set(child, statement);
    child.ref();
    this.#watch();
    return statement;
  }

  async close(): Promise<void> {
    const stopping = new FrameholdError('draining', 'The server is stopping.');
    this.#slots.close(stopping);
    for (const statement of this.#running.values()) statement.kill('stopping', stopping);
    for (const child of this.#children) child.kill('stopping');
    await Promise.all([...this.#children].map(({ gone }) => gone));
  }

  /** For a statement that waits. */
  #giveUpOne(): void {
    for (const [statement, giveUp] of this.#spare) {
      this.#spare.delete(statement);
      if (giveUp()) return;
    }
  }

  /** A statement that has given its last row is put away in some milliseconds; a new process takes hundreds. */
  async #soonFree(): Promise<void> {
    if (![...this.#running.values()].some(({ isOver }) => isOver)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#freed.splice(this.#freed.indexOf(resolve), 1);
      resolve();
    }, soonMs);
    this.#freed.push(resolve);
    await promise;
    clearTimeout(timer);
  }

  /** One that has run this tenant's statements, or nobody's, or else the one that was used longest ago. */
  #takeChild(tenant: string | null): EngineChild {
    for (;;) {
      const own = this.#idle.findLastIndex((child) => tenant === null || child.tenant === tenant);
      const nobodys = own < 0 ? this.#idle.findLastIndex((child) => child.tenant === null) : -1;
      const [child] = this.#idle.splice(Math.max(own, nobodys, 0), 1);
      if (child === undefined) return this.#spawn();
      if (!child.usable) continue;
      child.tenant = tenant ?? child.tenant;
      return child;
    }
  }

  #spawn(): EngineChild {
    const { module, tempDirectory, threads, memoryBytes, tempBytesMax, analyticsPath, startMs } =
      this.#options;
    const child = new EngineChild({
      module: module ?? entryModule(import.meta.url, 'engine-process'),
      launcher: this.#launcher,
      tempRoot: tempDirectory,
      linkRoot: this.#linkRoot,
      runner: { threads, memoryBytes, tempBytesMax, analyticsPath },
      pool: this.#pool,
      startMs,
    });
    child.unref();
    this.#children.add(child);
    void child.gone.then((ending) => this.#onGone(child, ending));
    return child;
  }

  #onGone(child: EngineChild, ending: Ending): void {
    this.#children.delete(child);
    clearTimeout(this.#idleTimers.get(child));
    this.#idleTimers.delete(child);
    const at = this.#idle.indexOf(child);
    if (at >= 0) this.#idle.splice(at, 1);
    const { killedFor } = ending;
    if (killedFor === 'idle' || killedFor === 'retired' || killedFor === 'stopping') return;
    this.#options.observe({
      event: 'engine-process-ended',
      pid: child.pid ?? null,
      reason: killedFor ?? 'crash',
      code: ending.code,
      signal: ending.signal,
      lastWords: ending.lastWords,
    });
    // One that never ran would not run the next time either: the next statement tries, and gets the reason.
    if (child.statements > 0) this.#keepOneWarm();
  }

  #putBack(child: EngineChild): void {
    if (this.#slots.isClosed) return;
    if (isSpent(child)) child.kill('retired');
    if (!child.usable) {
      this.#keepOneWarm();
      return;
    }
    this.#idle.push(child);
    this.#freed.shift()?.();
    child.unref();
    this.#restartIdleTimer(child);
  }

  /** One timer for each process, not for each statement: there may be a thousand a second. */
  #restartIdleTimer(child: EngineChild): void {
    const timer = this.#idleTimers.get(child);
    if (timer !== undefined) timer.refresh();
    else
      this.#idleTimers.set(
        child,
        setTimeout(() => this.#endIdle(child), this.#options.idleMs ?? idleMsDefault).unref(),
      );
  }

  #endIdle(child: EngineChild): void {
    if (this.#idle.length < 2 || !this.#idle.includes(child)) return;
    this.#idle.splice(this.#idle.indexOf(child), 1);
    child.kill('idle');
  }

  /** So that the next statement does not wait for a start. */
  #keepOneWarm(): void {
    if (this.#slots.isClosed || this.#idle.length > 0) return;
    if (this.#running.size >= this.#options.processesMax) return;
    try {
      this.#idle.push(this.#spawn());
    } catch {
      // No memory or no process left: the next statement tries again, and gets the error.
    }
  }

  /** DuckDB keeps its own limits. This is for what it does not count, before the kernel has to choose, and for several statements together. */
  #watch(): void {
    if (this.#look !== null) return;
    const ceiling = this.#options.memoryBytes * memorySlack + memoryBesideBytes;
    this.#look = setInterval(() => {
      if (this.#running.size === 0 && this.#look !== null) {
        clearInterval(this.#look);
        this.#look = null;
        return;
      }
      for (const [{ pid }, statement] of this.#running) {
        if (pid !== undefined && (privateBytes(pid) ?? 0) > ceiling) statement.outgrown();
      }
      this.#room.watch(this.#running.values());
    }, lookMs);
    this.#look.unref();
  }
}

/** Makes a private directory, or removes what is in it. Gives the number of its filesystem. */
async function emptied(directory: string): Promise<number> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const left of await readdir(directory))
    await rm(join(directory, left), { recursive: true, force: true });
  return (await stat(directory)).dev;
}

function isSpent({ pid, statements }: EngineChild): boolean {
  const bytes = pid === undefined ? null : privateBytes(pid);
  return statements >= statementsMax || (bytes !== null && bytes > idleBytesMax);
}
