const s3Operations = [
  ...(['put', 'part', 'begin', 'complete', 'abort', 'get', 'head', 'delete', 'list', 'uploads'] as const),
];
export type S3Operation = (typeof s3Operations)[number];

/** retried: it failed and was repeated. failed: it failed and was not. */
const s3Outcomes = ['ok', 'retried', 'failed'] as const;
export type S3Outcome = (typeof s3Outcomes)[number];

export interface RequestCount {
  readonly operation: S3Operation;
  readonly outcome: S3Outcome;
  readonly count: number;
}

/** How many requests were sent and what became of them, in memory that the threads share: a job that fails has counted too. */
export class RequestCounts {
  readonly memory: SharedArrayBuffer;
  readonly #counts: Int32Array;

  constructor(memory = new SharedArrayBuffer(4 * s3Operations.length * s3Outcomes.length)) {
    this.memory = memory;
    this.#counts = new Int32Array(memory);
  }

  add(operation: S3Operation, outcome: S3Outcome): void {
    const index = s3Operations.indexOf(operation) * s3Outcomes.length + s3Outcomes.indexOf(outcome);
    Atomics.add(this.#counts, index, 1);
  }

  /** What was counted since the last call. */
  *take(): Generator<RequestCount, void, void> {
    for (const [row, operation] of s3Operations.entries())
      for (const [column, outcome] of s3Outcomes.entries()) {
        const count = Atomics.exchange(this.#counts, row * s3Outcomes.length + column, 0);
        if (count > 0) yield { operation, outcome, count };
      }
  }
}
