import type { Clock } from '../../model/clock.ts';
import { asFrameholdError } from '../../model/errors.ts';
import type { PartRecord } from '../../model/version.ts';
import { partWork } from '../../ports/catalog/leases.ts';
import type { MaintenanceCatalog } from '../../ports/catalog/maintenance.ts';
import type { Observe } from '../../ports/observation.ts';
import type { PartTranscoding, TranscodeOutcome } from '../parts/part-transcoding.ts';
import type { LeasedWork } from './leased-work.ts';

export interface TranscodingJobDependencies {
  readonly catalog: MaintenanceCatalog;
  readonly leases: LeasedWork;
  readonly transcoding: PartTranscoding;
  readonly observe: Observe;
  readonly now: Clock;
}

/** A small append will probably be compacted soon: its own Parquet file would be thrown away, and takes a thread to write. */
const smallPartWaitMs = 60_000;

/** Adds the Parquet form to parts that have none, one after another. May run twice over the same part: the second adds nothing. */
export class Transcoding {
  readonly #dependencies: TranscodingJobDependencies;
  #paused = false;

  constructor(dependencies: TranscodingJobDependencies) {
    this.#dependencies = dependencies;
  }

  /** Transcodes until nothing is left, the disk has no room for more, the store does not answer, or the signal aborts. `afterEach` comes between two parts. */
  async run(signal: AbortSignal, afterEach: () => Promise<void>): Promise<'done' | 'disk-full'> {
    for (;;) {
      const { catalog, now } = this.#dependencies;
      // One at a time: the next one may have been dropped and collected meanwhile.
      const [part] = await catalog.untranscoded(1, now() - smallPartWaitMs, now());
      if (part === undefined || signal.aborted) return 'done';
      const outcome = await this.#transcode(part, signal);
      if (outcome === null && signal.aborted) return 'done';
      if (outcome?.kind === 'disk-full') {
        this.#pause(part.id, outcome.reason);
        return 'disk-full';
      }
      // Tried again in the next run: a store needs time, too.
      if (outcome?.kind === 'failed' && isUnavailable(outcome.error)) return 'done';
      if (outcome !== null) this.#paused = false;
      await afterEach();
    }
  }

  /** null if the part was not transcoded here, or if that failed. */
  async #transcode(part: PartRecord, signal: AbortSignal): Promise<TranscodeOutcome | null> {
    const { catalog, leases, transcoding, now } = this.#dependencies;
    let outcome: TranscodeOutcome | null = null;
    await leases.attempt({
      work: partWork.transcode(part.id),
      run: async () => {
        outcome = await transcoding.transcode(part, { interactive: false }, signal);
        if (outcome.kind === 'failed') throw outcome.error;
        return outcome.kind === 'disk-full' || outcome.kind === 'overtaken' ? 'untried' : 'done';
      },
      judge: async (error) => {
        const { kind } = asFrameholdError(error);
        // Too many wait: nothing was tried.
        const isUntried = kind === 'overloaded' || kind === 'draining' || isUnavailable(error);
        return signal.aborted || isUntried ? 'untried' : 'failed';
      },
      giveUp: (reason) => catalog.refuseTranscoding(part.id, reason, now()),
    });
    return outcome;
  }

  /** Reported once: the next tries come every few seconds. */
  #pause(partId: string, reason: string): void {
    if (!this.#paused) this.#dependencies.observe({ event: 'settle-paused', partId, reason });
    this.#paused = true;
  }
}

/** It says nothing about the part: giving it up after three times would leave it untranscoded for good. */
function isUnavailable(error: unknown): boolean {
  return asFrameholdError(error).kind === 'unavailable';
}
