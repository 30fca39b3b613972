/**
 * The good caller: `wire-probe.ts URL PATH…`, in a process of its own, so that it waits for the server and not for the attacker. Asks
 * for each path ten times a second and prints a line when all have answered once. At SIGTERM it prints `{ waits, failed }` and goes.
 */
import { Agent, get } from 'node:http';
import { machinePace } from '../../support/machine-pace.ts';
import { patienceMs } from '../../support/patience.ts';

/** No good caller may wait longer than this on a machine of its own, whatever the others send. */
const hangMs = 5_000;
const everyMs = 100;
const [url = '', ...paths] = process.argv.slice(2);
/** Those that it has before the attack: if all others are taken it would get no more. */
const agent = new Agent({ keepAlive: true, maxSockets: paths.length });
const waits: number[] = [];
const failed: string[] = [];
const open = new Set<Promise<void>>();

async function ask(path: string): Promise<void> {
  const began = performance.now();
  const outcome = await new Promise<string>((resolve) => {
    const request = get(url + path, { agent, timeout: patienceMs }, (response) => {
      response.resume().once('end', () => resolve(String(response.statusCode)));
      response.once('error', (error) => resolve(error.message));
    });
    request.once('timeout', () => request.destroy(new Error(`no answer within ${patienceMs} ms`)));
    request.once('error', (error) => {
      // The server closed a connection that was kept for long enough, just as it was used again: clients ask once more.
      const retried = request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
      resolve(retried ? 'again' : error.message);
    });
  });
  if (outcome === 'again') return await ask(path);
  const took = performance.now() - began;
  if (outcome !== '200') failed.push(`${path}: ${outcome}`);
  else if (took > hangMs && took > hangMs * machinePace()) failed.push(`${path}: answered after ${took} ms`);
  else waits.push(took);
}

function askAll(): void {
  for (const path of paths) {
    const asked = ask(path).finally(() => open.delete(asked));
    open.add(asked);
  }
}

askAll();
await Promise.all(open);
const timer = setInterval(askAll, everyMs);
process.once('SIGTERM', async () => {
  clearInterval(timer);
  await Promise.all(open);
  console.log(JSON.stringify({ waits, failed }));
  agent.destroy();
});
console.log('begun');
