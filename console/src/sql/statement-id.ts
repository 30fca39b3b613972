/** What the console asks for by itself, for a chart: the history of statements does not show it. */
export const ownStatementPrefix = 'console-view-';

/** A new id. Not `randomUUID`: browsers have it on secure pages only, and the server may be reached over plain HTTP. */
export function newStatementId(prefix = 'console-'): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return prefix + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
