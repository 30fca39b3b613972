/**
 * Object keys are ids, never names, and never repeat: every attempt to write a form, of a put, transcode, compact or recompress, has its own id. A
 * late write or removal then touches nothing that is read.
 */

export function arrowKey(tenant: string, attempt: string): string {
  return `${tenant}/${attempt}.arrow`;
}

/** Of the files of a Parquet form, the one with this number. */
export function parquetKey(tenant: string, attempt: string, index: number): string {
  return `${tenant}/${attempt}.${index}.parquet`;
}

export function tenantOfKey(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

/** The id of the attempt that wrote the object. */
export function attemptOfKey(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1).split('.', 1)[0] ?? '';
}
