import { chmod, unlink } from 'node:fs/promises';
import { connect, type ListenOptions, type Server } from 'node:net';

/** Listens, and takes the place of a unix socket that a killed server left behind. */
export async function listen(server: Server, where: ListenOptions): Promise<void> {
  try {
    await listenOnce(server, where);
  } catch (error) {
    const inUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!inUse || where.path === undefined || (await answers(where.path))) throw error;
    await unlink(where.path);
    await listenOnce(server, where);
  }
  if (where.path !== undefined) await chmod(where.path, socketMode(process.umask()));
}

/** Connecting to a socket needs the right to write it: the group has it if it may read what this process makes. Others never do. */
function socketMode(umask: number): number {
  return (umask & 0o040) === 0 ? 0o660 : 0o600;
}

function listenOnce(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', () => resolve(false));
  });
}
