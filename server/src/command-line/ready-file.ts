import { chmod, rename, rm, writeFile } from 'node:fs/promises';

export interface ReadyRecord {
  readonly http: string;
  readonly grpc: string;
  readonly pid: number;
}

/** Says where the server answers, for processes that wait for the file. It appears whole or not at all. */
export async function writeReadyFile(path: string, note: ReadyRecord): Promise<void> {
  const staged = `${path}.${note.pid}.tmp`;
  try {
    await writeFile(staged, `${JSON.stringify(note)}\n`);
    // Others wait for it, too, and it says nothing that must stay private; the umask of the server is for its data.
    await chmod(staged, 0o644);
    await rename(staged, path);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
}

/** A file of an earlier run must not be taken for this one's. */
export async function removeReadyFile(path: string): Promise<void> {
  await rm(path, { force: true });
}
