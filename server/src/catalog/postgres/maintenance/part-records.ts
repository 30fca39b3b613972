import type { PartForm, PartRecord, StoredObject } from '../../../frames/version.ts';

/** What is read of a part, by the columns below. */
export interface PartRow {
  readonly id: number;
  readonly name_id: number;
  readonly part_id: string;
  readonly rows: number;
  readonly arrow_bytes: number | null;
  readonly parquet_exact: number | null;
  readonly refusal: string | null;
  readonly objects: readonly ObjectRow[] | null;
}

interface ObjectRow {
  readonly kind: PartForm['kind'];
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly damaged: boolean;
}

/** Of `parts p`, with their objects: so that any number of parts takes one statement. */
export const partColumns = `p.id, p.name_id, p.part_id, p.rows, p.arrow_bytes, p.parquet_exact, p.refusal,
  (SELECT json_agg(json_build_object('kind', o.kind, 'key', o.key, 'bytes', o.bytes, 'sha256', o.sha256,
      'damaged', EXISTS (SELECT 1 FROM damaged d WHERE d.key = o.key)) ORDER BY o.kind, o.seq)
    FROM objects o WHERE o.part = p.id) AS objects`;

export function partRecordOf(row: PartRow): PartRecord {
  const forms: PartForm[] = [];
  if (row.arrow_bytes !== null) forms.push(formOf(row, 'arrow', true));
  if (row.parquet_exact !== null) forms.push(formOf(row, 'parquet', row.parquet_exact === 1));
  const record = { id: row.part_id, rows: row.rows, forms };
  return row.refusal === null || row.parquet_exact !== null
    ? record
    : { ...record, settleRefusal: row.refusal };
}

/** The keys of a form, in order; null if the part does not have it. */
export function formKeys(row: PartRow, kind: PartForm['kind']): readonly string[] | null {
  if ((kind === 'arrow' ? row.arrow_bytes : row.parquet_exact) === null) return null;
  return objectsOf(row, kind).map((object) => object.key);
}

function formOf(row: PartRow, kind: PartForm['kind'], exact: boolean): PartForm {
  const objects: StoredObject[] = objectsOf(row, kind).map(({ key, bytes, sha256 }) => ({
    key,
    bytes,
    sha256,
  }));
  const damaged = objectsOf(row, kind).some((object) => object.damaged);
  return damaged ? { kind, objects, exact, damaged } : { kind, objects, exact };
}

function objectsOf(row: PartRow, kind: PartForm['kind']): readonly ObjectRow[] {
  return (row.objects ?? []).filter((object) => object.kind === kind);
}
