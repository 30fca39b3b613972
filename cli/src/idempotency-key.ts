/** For a change that the client may send again. Not imported from node:crypto: an import reads all exports, which loads most of it. */
export function newKey(): string {
  return process.getBuiltinModule('node:crypto').randomUUID();
}
