import { pinnedWhile } from '../../frames/objects/pinned-while.ts';
import type { PartTranscoding, TranscodingDependencies } from '../../frames/parts/part-transcoding.ts';
import {
  inRounds,
  inTurns,
  StatementTranscoding,
  type TranscodedVersion,
} from '../../frames/parts/statement-transcoding.ts';
import type { VersionOpener } from '../../frames/parts/version-opener.ts';
import { cutOf, partsOfRows } from '../../frames/reading/parts-of-rows.ts';
import { FrameholdError } from '../../model/errors.ts';
import { handleTextOf } from '../../model/manifest.ts';
import { parquetForm } from '../../model/part-forms.ts';
import type { VersionRecord } from '../../model/version.ts';

interface AddressedVersionsDependencies
  extends Pick<TranscodingDependencies, 'catalog' | 'reader' | 'guard' | 'now'> {
  readonly transcoding: PartTranscoding;
}

/**
 * Opens versions for an engine on other machines, which reads the objects where they are kept. So every part gets its own Parquet form in the store first,
 * also a small one: a file that is a scratch copy is on this machine only. What such an engine reads is not compared with its hash, except for what
 * `ObjectGuard.admit` looks at before.
 */
export class AddressedVersions implements VersionOpener {
  readonly #dependencies: AddressedVersionsDependencies;
  readonly #transcoding: StatementTranscoding;

  constructor(dependencies: AddressedVersionsDependencies) {
    this.#dependencies = dependencies;
    this.#transcoding = new StatementTranscoding(dependencies.transcoding, dependencies.guard);
  }

  open(record: VersionRecord, signal: AbortSignal): Promise<TranscodedVersion> {
    return pinnedWhile(this.#dependencies, record, 'statement', () =>
      inRounds(record, () => this.#round(record, signal)),
    );
  }

  async #round(record: VersionRecord, signal: AbortSignal): Promise<TranscodedVersion | null> {
    const { catalog, guard, reader } = this.#dependencies;
    const found = await partsOfRows(catalog, record);
    if (cutOf(record, found) !== null) throw insideOfPart(record);
    const { parts } = found;
    signal.throwIfAborted();
    const missing = parts.filter((part) => parquetForm(part) === undefined);
    if (missing.length > 0) {
      await inTurns(
        missing.map((part) => (both) => this.#transcoding.transcode(record, part, both)),
        signal,
      );
      return null;
    }
    const objects = parts.flatMap((part) => parquetForm(part)?.objects ?? []);
    if (!(await guard.admit(objects, signal))) return null;
    const held = await reader.hold(objects).catch(async (error) => {
      // It has gone or is damaged: the next round finds others.
      if (await guard.explains(error, objects)) return null;
      throw error;
    });
    return held && { files: held.addresses, objects, release: held.release };
  }
}

/** Files are read as a whole there, and their rows have no order. */
function insideOfPart(record: VersionRecord): FrameholdError {
  return new FrameholdError(
    'not_representable',
    `This engine cannot read ${handleTextOf(record)}: the rows begin or end inside of a part that was compacted.`,
    { hint: 'Use the engine duckdb, or begin and end at versions that are kept.' },
  );
}
