/** A new id. Not `randomUUID`: browsers have it on secure pages only, and the server may be reached over plain HTTP. */
export function newStatementId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
