import { type Change, type EngineName, FrameholdError, type Rows } from '@framehold/client';
import { signal, batch as together } from '@preact/signals';
import { api } from '../../server/api.ts';
import { newStatementId } from '../../sql/statement-id.ts';
import { type Plan, parsePlan } from './plan.ts';
import { ResultRows, resultRowsMax } from './result-rows.ts';

export type RunState = 'running' | 'done' | 'failed' | 'cancelled';
/** `plan` and `timings` explain the statement; the latter runs it too. */
export type RunPurpose = 'rows' | 'plan' | 'timings';
export type ParameterValues = readonly ParameterValue[] | { readonly [name: string]: ParameterValue };
export type ParameterValue = null | boolean | string | number | bigint;

export interface RunRequest {
  readonly sql: string;
  /** Where it begins in the text of its tab, to mark errors. */
  readonly from: number;
  readonly purpose: RunPurpose;
  readonly parameters?: ParameterValues;
  /** Absent: the server's default. */
  readonly engine?: EngineName;
}

/** What is sent with the statement, also when it runs again for a download or a frame. */
export function sentWith({ parameters, engine }: RunRequest) {
  return {
    ...(parameters === undefined ? {} : { parameters }),
    ...(engine === undefined ? {} : { engine }),
  };
}

const prefixes: Readonly<Record<RunPurpose, string>> = {
  rows: '',
  plan: 'EXPLAIN (FORMAT JSON) ',
  timings: 'EXPLAIN (ANALYZE, FORMAT JSON) ',
};

/** Most statements end before the first question about their progress. */
const progressMs = 500;
/** A statement that does not end after it was cancelled is left alone: the connection is closed. */
const cancelMs = 3_000;

/** One statement, from Run to its last row. */
export class StatementRun {
  readonly request: RunRequest;
  readonly id = newStatementId();
  readonly startedAt = performance.now();
  readonly state = signal<RunState>('running');
  /** 0 to 1; null if it is not known. */
  readonly progress = signal<number | null>(null);
  readonly isWaiting = signal(false);
  readonly elapsedMs = signal(0);
  readonly rows = signal<ResultRows | null>(null);
  readonly rowsForgotten = signal(false);
  /** Whether there are more rows than these, and why they are not here. */
  readonly cut = signal<'rows' | 'bytes' | null>(null);
  readonly change = signal<Change | null>(null);
  readonly plan = signal<Plan | null>(null);
  readonly sources = signal<readonly string[]>([]);
  readonly error = signal<unknown>(null);
  readonly #abort = new AbortController();

  constructor(request: RunRequest) {
    this.request = request;
  }

  get hasRows(): boolean {
    return this.rows.peek() !== null && !this.rowsForgotten.peek();
  }

  /** Ends when the statement has; it does not throw. */
  async start(): Promise<void> {
    const clock = setInterval(() => {
      this.elapsedMs.value = performance.now() - this.startedAt;
    }, 100);
    const watch = setInterval(() => this.#askProgress(), progressMs);
    try {
      await this.#execute();
      this.#end('done');
    } catch (error) {
      const isCancelled =
        this.#abort.signal.aborted || (error instanceof FrameholdError && error.code === 'query_cancelled');
      if (!isCancelled) this.error.value = error;
      this.#end(isCancelled ? 'cancelled' : 'failed');
    } finally {
      clearInterval(clock);
      clearInterval(watch);
    }
  }

  cancel(): void {
    if (this.state.peek() !== 'running') return;
    // A change that is being committed does not end with its connection: the server is asked to stop it.
    api.queries.cancel(this.id).catch(() => this.#abort.abort());
    setTimeout(() => this.#abort.abort(), cancelMs);
  }

  forgetRows(): void {
    this.rowsForgotten.value = true;
    this.rows.peek()?.forget();
  }

  /** Where the error is in the text of the tab. */
  get errorPosition(): number | null {
    const error = this.error.value;
    if (!(error instanceof FrameholdError) || error.position === undefined) return null;
    const position = error.position - prefixes[this.request.purpose].length;
    return position < 0 ? null : this.request.from + position;
  }

  async #execute(): Promise<void> {
    const { sql, purpose } = this.request;
    const outcome = await api.execute(prefixes[purpose] + sql, {
      id: this.id,
      limit: resultRowsMax,
      signal: this.#abort.signal,
      ...sentWith(this.request),
    });
    if (outcome.kind === 'change') this.change.value = outcome;
    else await this.#takeRows(outcome);
  }

  async #takeRows(rows: Rows): Promise<void> {
    const kept = new ResultRows(rows.columns);
    together(() => {
      this.sources.value = rows.sources;
      this.rows.value = kept;
    });
    for await (const batch of rows) {
      kept.add(batch);
      if (kept.hasRoom) continue;
      this.cut.value = 'bytes';
      break;
    }
    if (rows.cut) this.cut.value = 'rows';
    kept.finish();
    this.plan.value = planOf(kept);
  }

  async #askProgress(): Promise<void> {
    try {
      const { progress, state } = await api.queries.get(this.id, { signal: this.#abort.signal });
      if (this.state.peek() !== 'running') return;
      this.isWaiting.value = state === 'waiting';
      this.progress.value = progress ?? null;
    } catch {
      // It has just ended, or has not arrived yet.
    }
  }

  #end(state: RunState): void {
    this.rows.peek()?.finish();
    this.elapsedMs.value = performance.now() - this.startedAt;
    this.state.value = state;
  }
}

/** The answer of EXPLAIN, whoever wrote it. */
function planOf(rows: ResultRows): Plan | null {
  const [first, second, ...others] = rows.columns.peek();
  if (first?.name !== 'explain_key' || second?.name !== 'explain_value' || others.length > 0) return null;
  return rows.rowCount.peek() === 1 ? parsePlan(rows.text(0, 1) ?? '') : null;
}
