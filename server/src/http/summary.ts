import { type Manifest, manifestOf } from '../frames/manifest.ts';
import type { VersionRecord } from '../frames/version.ts';

/** A manifest without the columns: a frame may have ten thousand of them. */
export function summaryOf(record: VersionRecord): Omit<Manifest, 'columns'> {
  const { columns: _, ...summary } = manifestOf(record);
  return summary;
}
