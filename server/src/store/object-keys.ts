const keyPattern = /^[A-Za-z0-9_-]+\/[a-z0-9]+(\.[0-9]+)?\.(arrow|parquet)$/;

/** Whether it is the key of an object. What else is in a directory or a bucket is left alone. */
export function isObjectKey(key: string): boolean {
  return keyPattern.test(key);
}

/** Keys become paths and names in a bucket: nothing else gets that far. */
export function requireObjectKey(key: string): void {
  if (!isObjectKey(key)) throw new Error(`not an object key: ${key}`);
}
