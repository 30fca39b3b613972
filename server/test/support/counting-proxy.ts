import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** Passes connections on to a server, and counts what it answers: heads included, as a network would. */
export interface CountingProxy {
  readonly url: string;
  /** Bytes and connections since the last call. */
  take(): { readonly bytes: number; readonly connections: number };
  close(): Promise<void>;
}

export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  let bytes = 0;
  let connections = 0;
  const open = new Set<{ destroy(): void }>();
  const server = createServer((client) => {
    connections += 1;
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      socket.on('error', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    upstream.on('data', (chunk) => {
      bytes += chunk.length;
    });
    client.pipe(upstream);
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = { bytes, connections };
      bytes = 0;
      connections = 0;
      return taken;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
