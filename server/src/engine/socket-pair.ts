import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Both ends of a connection. */
export interface SocketPair {
  /** Stays with this process; what comes goes to `onBytes`. */
  readonly near: Socket;
  /** For a child's standard streams; nothing of it has been read. */
  readonly far: Socket;
}

/** As much as the kernel holds for a socket, so that a full one is emptied in one call. */
const readBytes = 256 * 1024;

/**
 * A connection whose bytes are read into one piece of memory, again and again. Node makes the streams of a child by itself, and these take fresh
 * memory for each read: of a large result more than half of the server's time went into collecting it. If `room` knows where the next bytes
 * belong, they are read to there. The directory is private to this user; the name in it is gone when both ends are there.
 */
export async function socketPair(
  directory: string,
  onBytes: (bytes: Buffer) => void,
  room: () => Buffer | null = () => null,
): Promise<SocketPair> {
  try {
    return await pairIn(directory, onBytes, room);
  } catch (error) {
    // Not every file system has sockets: folders that are shared into a virtual machine often have none.
    const other = await mkdtemp(join(tmpdir(), 'framehold-link-')).catch(() => Promise.reject(error));
    try {
      return await pairIn(other, onBytes, room);
    } catch {
      throw error;
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  }
}

async function pairIn(
  directory: string,
  onBytes: (bytes: Buffer) => void,
  room: () => Buffer | null,
): Promise<SocketPair> {
  const folder = await open(directory);
  const server = createServer({ pauseOnConnect: true });
  try {
    // Addresses of sockets have at most 107 bytes, and directories are as long as people like.
    const parent = process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : directory;
    const path = join(parent, 'link');
    server.listen(path);
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    const shared = Buffer.allocUnsafeSlow(readBytes);
    const onread = {
      buffer: () => room() ?? shared,
      callback: (count: number, buffer: Uint8Array) => {
        onBytes(buffer.subarray(0, count) as Buffer);
        return true;
      },
    };
    const near = connect({ path, onread });
    await once(near, 'connect');
    const [far] = (await accepted) as [Socket];
    return { near, far };
  } finally {
    // Removes the name, too.
    server.close();
    await folder.close();
  }
}
