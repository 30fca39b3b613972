import { unlink } from 'node:fs/promises';
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
