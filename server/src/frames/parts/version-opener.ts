import type { VersionRecord } from '../../model/version.ts';
import type { TranscodedVersion } from './statement-transcoding.ts';

/** Opens the frames of a statement for one engine. */
export interface VersionOpener {
  open(record: VersionRecord, signal: AbortSignal): Promise<TranscodedVersion>;
}
