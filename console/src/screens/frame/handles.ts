/** `trades@3` and `acme:trades@3` name one version as long as it is kept; `trades` is the newest. */
export function isPinned(handle: string): boolean {
  return handle.includes('@');
}

/** A frame of another tenant, which shares it: it can be read only. */
export function isShared(name: string): boolean {
  return name.includes(':');
}
