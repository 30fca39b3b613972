/** Object keys are ids, never names. A key is never used again: each new encoding of a form has other keys than the one before. */

export function arrowKey(tenant: string, partId: string): string {
  return `${tenant}/${partId}.arrow`;
}

/** Of a part's Arrow key, the key of its n-th Parquet file. */
export function parquetKey(arrow: string, index: number): string {
  return arrow.replace(/(\.\d+)?\.arrow$/, `.${index}.parquet`);
}

/** The key of an object that takes another's place, in a form of so many objects: its number is raised past all of theirs. */
export function laterKey(key: string, objectCount: number): string {
  const [, stem, number = '0', kind] = /^(.*?)(?:\.(\d+))?\.(arrow|parquet)$/.exec(key) ?? [];
  if (stem === undefined) throw new Error(`not an object key: ${key}`);
  return `${stem}.${Number(number) + objectCount}.${kind}`;
}
