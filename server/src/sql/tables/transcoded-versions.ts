import { pinnedWhile } from '../../frames/objects/pinned-while.ts';
import type { PartTranscoding, TranscodingDependencies } from '../../frames/parts/part-transcoding.ts';
import {
  inRounds,
  inTurns,
  StatementTranscoding,
  type TranscodedVersion,
  type Work,
} from '../../frames/parts/statement-transcoding.ts';
import type { VersionOpener } from '../../frames/parts/version-opener.ts';
import { cutOf, partsOfRows } from '../../frames/reading/parts-of-rows.ts';
import { exactForm, exactObjects, parquetForm } from '../../model/part-forms.ts';
import type { PartForm, PartRecord, StoredObject, VersionRecord } from '../../model/version.ts';
import type { ScratchCopies, ScratchCopy } from './scratch-copies.ts';
import { stretchesOf } from './small-runs.ts';

export interface TranscodedVersionsDependencies extends TranscodingDependencies {
  readonly transcoding: PartTranscoding;
  readonly scratch: ScratchCopies;
}

/** Files that a run of small parts may have before it is copied as a whole: a millisecond for each is acceptable. */
const piecesMax = 32;
/** Parts of a version that may stay out of runs one by one. */
const apartMax = 2;

interface Plan {
  /** Parts with a Parquet form, and scratch copies, in row order. */
  readonly pieces: readonly (PartForm | ScratchCopy)[];
  /** What must be transcoded or copied before the pieces are complete. */
  readonly missing: readonly Work[];
}

/** Opens versions for SQL, which reads Parquet: what has no such form is transcoded first, ahead of the background. */
export class TranscodedVersions implements VersionOpener {
  readonly #dependencies: TranscodedVersionsDependencies;
  readonly #transcoding: StatementTranscoding;

  constructor(dependencies: TranscodedVersionsDependencies) {
    this.#dependencies = dependencies;
    this.#transcoding = new StatementTranscoding(dependencies.transcoding, dependencies.guard);
  }

  open(record: VersionRecord, signal: AbortSignal): Promise<TranscodedVersion> {
    const apart = new Set<string>();
    return pinnedWhile(this.#dependencies, record, 'statement', () =>
      inRounds(record, () => this.#round(record, apart, signal)),
    );
  }

  async #round(
    record: VersionRecord,
    apart: Set<string>,
    signal: AbortSignal,
  ): Promise<TranscodedVersion | null> {
    const { catalog, guard } = this.#dependencies;
    const found = await partsOfRows(catalog, record);
    const { parts } = found;
    const held: (() => void)[] = [];
    const release = () => {
      for (const each of held) each();
    };
    try {
      signal.throwIfAborted();
      const { pieces, missing } = this.#plan(record, parts, apart, held);
      if (missing.length > 0) await inTurns(missing, signal);
      else {
        const objects = pieces.flatMap((piece) => ('objects' in piece ? piece.objects : []));
        const files = (await guard.admit(objects, signal))
          ? await this.#files(pieces, objects, held, signal)
          : null;
        const cut = cutOf(record, found);
        if (files !== null) return { files, ...(cut === null ? {} : { cut }), objects, release };
      }
    } catch (error) {
      release();
      throw error;
    }
    release();
    return null;
  }

  #plan(record: VersionRecord, parts: readonly PartRecord[], apart: Set<string>, held: (() => void)[]): Plan {
    const pieces: (PartForm | ScratchCopy)[] = [];
    const missing: Work[] = [];
    const copyRun = (run: readonly PartRecord[]) =>
      missing.push((signal) => this.#writeScratchCopy(record, run, apart, signal));
    for (const stretch of stretchesOf(parts, apart)) {
      const { covered, uncovered } = this.#cover(stretch, held);
      if (covered.length > piecesMax) {
        copyRun(stretch);
        continue;
      }
      pieces.push(...covered);
      for (const run of uncovered) {
        const [first] = run;
        if (run.length > 1) copyRun(run);
        else if (first !== undefined)
          missing.push((signal) => this.#transcoding.transcode(record, first, signal));
      }
    }
    return { pieces, missing };
  }

  /** What there is for a stretch of parts, and the neighbours for which there is nothing yet. */
  #cover(
    stretch: readonly PartRecord[],
    held: (() => void)[],
  ): { covered: readonly (PartForm | ScratchCopy)[]; uncovered: readonly (readonly PartRecord[])[] } {
    const covered: (PartForm | ScratchCopy)[] = [];
    const uncovered: PartRecord[][] = [];
    let run: PartRecord[] = [];
    const end = () => {
      if (run.length > 0) uncovered.push(run);
      run = [];
    };
    for (let index = 0; index < stretch.length; ) {
      const part = stretch[index] as PartRecord;
      const copy = this.#dependencies.scratch.take(stretch, index);
      const transcoded = parquetForm(part);
      if (copy !== null) {
        held.push(() => copy.release());
        covered.push(copy);
        index += copy.partIds.length;
        end();
      } else {
        if (transcoded === undefined) run.push(part);
        else {
          covered.push(transcoded);
          end();
        }
        index += 1;
      }
    }
    end();
    return { covered, uncovered };
  }

  async #writeScratchCopy(
    record: VersionRecord,
    run: readonly PartRecord[],
    apart: Set<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const { scratch, guard } = this.#dependencies;
    const damaged = run.filter((part) => exactForm(part) === undefined);
    if (damaged.length > 0) return this.#transcoding.reconsider(record, damaged);
    const outcome = await scratch.write(record.tenant, run, record.schema, signal).catch(async (thrown) => {
      const objects = run.flatMap(exactObjects);
      // They are marked as damaged or gone: the next round does not use them, or the frame is known to be damaged.
      if (await guard.explains(thrown, objects)) return null;
      throw thrown;
    });
    if (outcome?.kind !== 'apart') return;
    apart.add(outcome.partId);
    // Each costs a round: if there are several, the whole run is transcoded part by part.
    if (apart.size > apartMax) for (const { id } of run) apart.add(id);
  }

  /** null if an object has gone or is damaged: the next round finds others. */
  async #files(
    pieces: Plan['pieces'],
    objects: readonly StoredObject[],
    held: (() => void)[],
    signal: AbortSignal,
  ): Promise<readonly string[] | null> {
    const { reader, guard } = this.#dependencies;
    const opened = await reader.open(objects, signal).catch(async (error) => {
      if (await guard.explains(error, objects)) return null;
      throw error;
    });
    if (opened === null) return null;
    const { paths, release } = opened;
    held.push(release);
    let next = 0;
    return pieces.flatMap((piece) =>
      'objects' in piece ? piece.objects.map(() => paths[next++] as string) : piece.files,
    );
  }
}
