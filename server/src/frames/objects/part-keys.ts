/**
 * Object keys are ids, never names, and never repeat: every attempt to write a form, of a put, settle, merge or squeeze, has an id of its own. A
 * write or removal that comes late then touches nothing that anybody reads.
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
