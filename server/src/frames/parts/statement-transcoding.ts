import { LruCache } from '../../base/lru-cache.ts';
import { waitingFor } from '../../base/request-time.ts';
import { FrameholdError } from '../../model/errors.ts';
import { arrowForm } from '../../model/part-forms.ts';
import type { PartRecord, StoredObject, VersionRecord } from '../../model/version.ts';
import type { ObjectGuard } from '../objects/object-guard.ts';
import { frameDamaged } from '../reading/frame-damaged.ts';
import type { CutRows } from '../reading/parts-of-rows.ts';
import type { PartTranscoding } from './part-transcoding.ts';

/** The Parquet files of a version, in row order; they stay until `release`. */
export interface TranscodedVersion {
  /** As the engine opens them: paths on this machine, or addresses if it runs elsewhere. */
  readonly files: readonly string[];
  /** Which rows of the files; absent: all. */
  readonly cut?: CutRows;
  /** Those of them that are in the store: verified if reading fails. */
  readonly objects: readonly StoredObject[];
  release(): void;
}

export type Work = (signal: AbortSignal) => Promise<void>;

/** Each round transcodes what the one before found missing; parts may be compacted or found damaged in between. */
const roundsMax = 8;
/** Parts transcoded at once for one statement; there are fewer threads, and other statements need them, too. */
const transcodesMax = 4;
/** Refusals of this process. Older ones may come from an earlier version of the server: those parts are tried again. */
const refusalsMax = 10_000;

/** Transcodes parts that a statement waits for. It remembers those that Parquet cannot hold. */
export class StatementTranscoding {
  readonly #transcoding: PartTranscoding;
  readonly #guard: ObjectGuard;
  readonly #refusals = new LruCache<string>({ entriesMax: refusalsMax });

  constructor(transcoding: PartTranscoding, guard: ObjectGuard) {
    this.#transcoding = transcoding;
    this.#guard = guard;
  }

  async transcode(record: VersionRecord, part: PartRecord, signal: AbortSignal): Promise<void> {
    const known = this.#refusals.get(part.id);
    if (known !== undefined) throw notReadable(record, known);
    if (arrowForm(part) === undefined) return this.reconsider(record, [part]);
    const outcome = await this.#transcoding.transcode(part, { interactive: true }, signal);
    if (outcome.kind === 'refused') {
      this.#refusals.set(part.id, outcome.reason);
      throw notReadable(record, outcome.reason);
    }
    if (outcome.kind === 'disk-full')
      throw new FrameholdError(
        'disk_full',
        `${record.name} cannot be made readable for SQL: ${outcome.reason}.`,
        { hint: 'Drop frames or free disk space, then retry. The reserve is storage.reserve_bytes.' },
      );
    if (outcome.kind === 'failed') throw outcome.error;
  }

  /** Returns if the next round finds a sound form; otherwise frame_damaged. */
  async reconsider(record: VersionRecord, parts: readonly PartRecord[]): Promise<void> {
    if (!(await this.#guard.reconsider(parts))) throw frameDamaged(record);
  }
}

function notReadable({ name, version }: VersionRecord, reason: string): FrameholdError {
  return new FrameholdError('not_representable', `SQL cannot read ${name}@${version}: ${reason}`, {
    hint: 'SQL reads frames as Parquet. Upload the frame again without the values that Parquet cannot represent.',
  });
}

/** Repeats a round, which returns null after it has transcoded something or found that the parts have changed. */
export async function inRounds(
  { name }: VersionRecord,
  round: () => Promise<TranscodedVersion | null>,
): Promise<TranscodedVersion> {
  for (let count = 1; count <= roundsMax; count++) {
    const transcoded = await round();
    if (transcoded !== null) return transcoded;
  }
  throw new FrameholdError(
    'overloaded',
    `The frame ${name} changes faster than it can be made readable for SQL.`,
    { hint: 'Try again in a moment.' },
  );
}

/** All of them, some at a time. The first failure ends the others. */
export async function inTurns(works: readonly Work[], signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const waiting = works.values();
  const workers = Array.from({ length: Math.min(transcodesMax, works.length) }, async () => {
    for (const work of waiting) {
      both.throwIfAborted();
      await work(both);
    }
  });
  try {
    await waitingFor('settling', Promise.all(workers));
  } finally {
    stop.abort();
    // What is open may be released only when all reads have ended.
    await Promise.allSettled(workers);
  }
}
