import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux's lists of connections. Elsewhere there are none, and nothing is waited for. */
const lists = ['/proc/net/tcp', '/proc/net/tcp6'];
/** Its queues have another meaning. */
const listening = '0A';
/** Between two looks at the kernel's list of connections, which the server reads only while it stops. */
const pauseMs = 100;

/**
 * Resolves when the other sides have received everything that was sent on connections of these ports, or after this time. The end of an answer means
 * that the kernel has its last bytes: some megabytes that a slow reader takes minutes for. In a container they are lost with the process, and a balancer that
 * finds the process gone may end the connection before it has read them.
 */
export async function allReceived(ports: readonly number[], withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  const suffixes = ports.map((port) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  while ((await unsentBytes(suffixes)) > 0 && performance.now() < deadline) await sleep(pauseMs);
}

async function unsentBytes(suffixes: readonly string[]): Promise<number> {
  const texts = await Promise.all(lists.map((list) => readFile(list, 'latin1').catch(() => '')));
  let sum = 0;
  for (const line of texts.join('\n').split('\n')) {
    // 12: 0100007F:2328 0100007F:A1B2 01 0003F000:00000000 …: a number, both addresses, the state, both queues.
    const [, local = '', , state, queues = ''] = line.trim().split(' ').filter(Boolean);
    if (state === listening || !suffixes.some((suffix) => local.endsWith(suffix))) continue;
    sum += Number.parseInt(queues.split(':', 1)[0] ?? '0', 16) || 0;
  }
  return sum;
}
