import type { PartForm, PartRecord, StoredObject } from '../model/version.ts';

/** Parts and objects as they are in tables. */

export interface PartRow {
  readonly id: number;
  readonly part_id: string;
  readonly rows: number;
  readonly arrow_bytes: number | null;
  readonly parquet_exact: number | null;
  readonly refusal: string | null;
}

/** In place of the kind of its form: an object of a damaged form that was made again. It stays with its part, out of sight of readers. */
export const replacedKind = 'replaced';

export interface ObjectRow {
  readonly kind: PartForm['kind'] | typeof replacedKind;
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly damaged: number | boolean;
}

/** `objects` are those of the part, each form's in their order. */
export function partRecordOf(row: PartRow, objects: readonly ObjectRow[]): PartRecord {
  const forms: PartForm[] = [];
  if (row.arrow_bytes !== null) forms.push(formOf(objects, 'arrow', true));
  if (row.parquet_exact !== null) forms.push(formOf(objects, 'parquet', row.parquet_exact === 1));
  const record = { id: row.part_id, rows: row.rows, forms };
  return row.refusal === null || row.parquet_exact !== null
    ? record
    : { ...record, transcodeRefusal: row.refusal };
}

function formOf(rows: readonly ObjectRow[], kind: PartForm['kind'], exact: boolean): PartForm {
  const objects = formObjects(rows, kind);
  const damaged = rows.some((row) => row.kind === kind && Boolean(row.damaged));
  return damaged ? { kind, objects, exact, damaged } : { kind, objects, exact };
}

/** Those of one form, in their order. */
export function formObjects(rows: readonly ObjectRow[], kind: PartForm['kind']): StoredObject[] {
  return rows
    .filter((row) => row.kind === kind)
    .map((row) => ({ key: row.key, bytes: row.bytes, sha256: row.sha256 }));
}
