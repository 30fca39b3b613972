import type { PartRecord } from '../../model/version.ts';
import { type ObjectRow, type PartRow, partRecordOf } from '../part-rows.ts';
import type { FoundPart } from '../rules/forms.ts';

/** Columns of a part `p` with its objects: parts come with all that belongs to them in one statement. */
export const partColumns = `p.id, p.part_id, p.rows, p.arrow_bytes, p.parquet_exact, p.refusal,
  ARRAY(SELECT json_build_array(o.kind, o.key, o.bytes, o.sha256, d.key IS NOT NULL)
    FROM objects o LEFT JOIN damaged d ON d.key = o.key WHERE o.part = p.id ORDER BY o.kind, o.seq) AS objects`;

type ObjectValues = readonly [
  ObjectRow['kind'],
  key: string,
  bytes: number,
  sha256: string,
  damaged: boolean,
];

export interface SelectedPart extends PartRow {
  readonly objects: readonly ObjectValues[];
}

export function foundPart(row: SelectedPart): FoundPart {
  const objects = row.objects.map(([kind, key, bytes, sha256, damaged]) => ({
    kind,
    key,
    bytes,
    sha256,
    damaged,
  }));
  return { ...row, objects };
}

export function selectedPart(row: SelectedPart): PartRecord {
  const part = foundPart(row);
  return partRecordOf(part, part.objects);
}
