/** Object keys are ids, never names. */

export function arrowKey(tenant: string, partId: string): string {
  return `${tenant}/${partId}.arrow`;
}

/** Of a part's Arrow key, the key of its n-th Parquet file. */
export function parquetKey(arrow: string, index: number): string {
  return arrow.replace(/\.arrow$/, `.${index}.parquet`);
}
