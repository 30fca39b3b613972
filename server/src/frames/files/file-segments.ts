import { arrowForm, parquetForm } from '../../model/part-forms.ts';
import type { PartForm, PartRecord, StoredObject } from '../../model/version.ts';

/** Neighbouring rows of a version, and where their row groups come from. */
export type Segment =
  /** The part has them. */
  | { readonly kind: 'stored'; readonly partId: string; readonly objects: readonly StoredObject[] }
  /** They have to be written for the file. */
  | { readonly kind: 'rows'; readonly first: number; readonly rows: number };

/** A row group of less costs readers more for its place in the footer than it holds. As for transcoding, which leaves smaller parts to compaction. */
const smallBytes = 1024 * 1024;

/** Stored row groups as they are, but runs of small parts, and parts without fitting row groups, as rows. There is always one segment. */
export function segmentsOf(
  parts: readonly PartRecord[],
  mayStay: (part: PartRecord) => boolean,
): readonly Segment[] {
  const segments: Segment[] = [];
  let before = 0;
  let run: PartRecord[] = [];
  const endRun = () => {
    const rows = run.reduce((sum, part) => sum + part.rows, 0);
    const [only] = run.length === 1 ? run : [];
    const form = only && mayStay(only) ? parquetForm(only) : undefined;
    if (only !== undefined && form !== undefined) segments.push(stored(only, form));
    else if (rows > 0) segments.push({ kind: 'rows', first: before - rows, rows });
    run = [];
  };
  for (const part of parts) {
    const form = mayStay(part) ? parquetForm(part) : undefined;
    const isLarge = form !== undefined && bytesOf(form) >= smallBytes;
    if (isLarge) endRun();
    before += part.rows;
    if (isLarge) segments.push(stored(part, form));
    else if (part.rows > 0) run.push(part);
  }
  endRun();
  return segments.length > 0 ? segments : [{ kind: 'rows', first: 0, rows: 0 }];
}

/** Parts that are transcoded first. Small ones are written together with their neighbours, and a refused one would be refused again. */
export function untranscodedParts(parts: readonly PartRecord[]): readonly PartRecord[] {
  return parts.filter((part) => {
    const arrow = arrowForm(part);
    const isWaiting = parquetForm(part) === undefined && part.transcodeRefusal === undefined;
    return isWaiting && arrow !== undefined && bytesOf(arrow) >= smallBytes;
  });
}

function stored({ id }: PartRecord, { objects }: PartForm): Segment {
  return { kind: 'stored', partId: id, objects };
}

function bytesOf({ objects }: PartForm): number {
  return objects.reduce((sum, object) => sum + object.bytes, 0);
}
