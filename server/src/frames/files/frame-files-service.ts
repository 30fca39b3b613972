import { type Caller, refuseEnded } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { Handle } from '../../model/handle.ts';
import type { Admission } from '../../model/limits/admission.ts';
import { handleTextOf } from '../../model/manifest.ts';
import type { VersionRecord } from '../../model/version.ts';
import { type AccessGuard, foundTarget, textOf } from '../access/access-guard.ts';
import type { Audit } from '../access/audit.ts';
import type { Frames } from '../frames.ts';
import type { ObjectGuard } from '../objects/object-guard.ts';
import type { ObjectReader } from '../objects/object-reader.ts';
import type { CachedFiles } from './cached-files.ts';
import { PieceReader } from './file-bytes.ts';
import type { ByteRange, PlacedPieces } from './file-pieces.ts';
import type { FrameFile, FrameFiles } from './frame-files.ts';

export interface FrameFilesDependencies {
  readonly frames: Pick<Frames, 'resolve'>;
  readonly known: CachedFiles;
  readonly reader: ObjectReader;
  readonly guard: ObjectGuard;
  readonly access: AccessGuard;
  readonly audit: Audit;
  readonly reads: Admission;
}

export class FrameFilesService implements FrameFiles {
  readonly #dependencies: FrameFilesDependencies;

  constructor(dependencies: FrameFilesDependencies) {
    this.#dependencies = dependencies;
  }

  async open(caller: Caller, handle: Handle, signal: AbortSignal): Promise<FrameFile> {
    const { frames, access, audit, reads, known } = this.#dependencies;
    const record = await frames.resolve(caller, handle, signal);
    const target = foundTarget(caller, record);
    access.check(caller, 'frame.read', target);
    return audit.attempt(caller, 'frame.read', textOf(target, caller), async () => {
      // Before a slot is taken: others should not wait for a file that is being made.
      const file = await known.find(record, signal);
      const leave = await reads.admit(caller.tenant, signal);
      try {
        refuseEnded(caller);
      } catch (error) {
        leave();
        throw error;
      }
      return {
        record,
        etag: file.layout.etag,
        bytes: file.layout.bytes,
        read: (range) => this.#read(record, file, range, signal),
        release: leave,
      };
    });
  }

  async *#read(
    record: VersionRecord,
    file: PlacedPieces,
    range: ByteRange,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, void> {
    const { reader, guard } = this.#dependencies;
    const objects = new Set(Iterator.from(file.within(range)).map(({ object }) => object));
    if (!(await guard.admit([...objects], signal))) throw await this.#ended(record, file);
    const pieces = new PieceReader(reader, signal);
    try {
      yield* pieces.bytes(file.within(range), range.end - range.start);
    } catch (error) {
      const { current } = pieces;
      if (signal.aborted || current === null || !(await guard.explains(error, [current]))) throw error;
      throw await this.#ended(record, file, error);
    } finally {
      await pieces.close();
    }
  }

  /** An object is damaged or has gone: the next request gets a file of what else there is, with another ETag. */
  async #ended(record: VersionRecord, file: PlacedPieces, cause?: unknown): Promise<FrameholdError> {
    await this.#dependencies.known.end(record, file.layout);
    return new FrameholdError(
      'file_not_ready',
      `The file of ${handleTextOf(record)} has to be made anew: stored bytes of it could not be read.`,
      { hint: 'Start again with the first byte.', ...(cause === undefined ? {} : { cause }) },
    );
  }
}
