import { createServer } from 'node:net';

/**
 * A port nobody listens on, for parts that cannot say which one they took. Below 32768, where the system gives out none
 * by itself, so that no other socket takes it in between.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await canListen(port)) return port;
  }
  throw new Error('no free port below 32768 in 50 attempts');
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
