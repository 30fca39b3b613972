/** What callers see while a part of a cluster fails. */
import assert from 'node:assert/strict';
import { getText } from '../frame-client.ts';
import { timePasses } from '../passing-time.ts';
import { eventually } from '../patience.ts';
import type { Cluster } from './cluster.ts';
import { askNumbers, readNumbers } from './numbers.ts';

/** Within which everything works again after the part does. On a busy machine the processes themselves take longer. */
const recoveryMs = 10_000;

/** Callers who append to a frame of their own and read it, on all nodes, and note what they were answered. */
export class Traffic {
  readonly statuses = new Map<number, number>();
  /** Of answers that are neither success nor a fault of a part. */
  readonly wrong: string[] = [];
  /** Numbers by their frame: acknowledged, and those whose fate is not known. */
  readonly acknowledged = new Map<string, number[]>();
  readonly uncertain = new Map<string, Set<number>>();
  lastSuccess = 0;
  #isOver = false;
  readonly #callers: Promise<void>[];

  constructor(urls: readonly string[], name: string) {
    this.#callers = urls.flatMap((url, node) =>
      [0, 1].map((caller) => this.#call(url, `${name}_${node}_${caller}`)),
    );
  }

  /** Resolves when so many more were answered, or so many with one of these statuses. */
  async answered(count: number, ...statuses: readonly number[]): Promise<void> {
    const counted = () =>
      [...this.statuses].reduce(
        (sum, [status, times]) => sum + (statuses.length === 0 || statuses.includes(status) ? times : 0),
        0,
      );
    const before = counted();
    await eventually(`${count} more answers`, () => counted() >= before + count);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  async #call(url: string, name: string): Promise<void> {
    const acknowledged: number[] = [];
    const uncertain = new Set<number>();
    this.acknowledged.set(name, acknowledged);
    this.uncertain.set(name, uncertain);
    for (let number = 1; !this.#isOver; number++) {
      const isNew = acknowledged.length === 0;
      const status = await this.#send(url, name, number, isNew);
      if (status === 200 || status === 201) acknowledged.push(number);
      else uncertain.add(number);
      const read = await askNumbers(url, name);
      this.#note(read.status, read.text, isNew);
      if (read.status === 200) this.#compare(name, read.text, acknowledged, uncertain);
      await timePasses(20, 'the pace of the callers');
    }
  }

  async #send(url: string, name: string, number: number, isNew: boolean): Promise<number> {
    const answer = await getText(`${url}/v1/frames/${name}${isNew ? '' : '/rows'}`, {
      method: isNew ? 'PUT' : 'POST',
      headers: { 'content-type': 'text/csv' },
      body: `n\n${number}\n`,
    });
    this.#note(answer.status, answer.text, false);
    return answer.status;
  }

  #note(status: number, text: string, mayBeAbsent: boolean): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status === 200 || status === 201) this.lastSuccess = performance.now();
    else if (![502, 503, 504].includes(status) && !(mayBeAbsent && status === 404))
      this.wrong.push(`${status} ${text}`);
  }

  /** Everything that was acknowledged, in order, and nothing that nobody sent. */
  #compare(
    name: string,
    text: string,
    acknowledged: readonly number[],
    uncertain: ReadonlySet<number>,
  ): void {
    const rows = text.trimEnd().split('\r\n').slice(1).map(Number);
    const certain = rows.filter((row) => !uncertain.has(row));
    const isWhole = certain.join() === acknowledged.join() && new Set(rows).size === rows.length;
    if (!isWhole) this.wrong.push(`${name}: ${rows.join()} after ${acknowledged.join()}`);
  }
}

/** Runs the fault under traffic; afterwards everything must work again, and nothing may be left of it. */
export async function through(
  cluster: Cluster,
  name: string,
  fault: (traffic: Traffic) => Promise<void>,
): Promise<Traffic> {
  const urls = cluster.nodes.map(({ url }) => url);
  const traffic = new Traffic(urls, name);
  await traffic.answered(20, 200);
  await fault(traffic);
  const over = performance.now();
  for (const url of urls)
    await eventually('the node is ready', async () => (await getText(`${url}/readyz`)).status === 200);
  await eventually('callers are served', () => traffic.lastSuccess > over);
  assert.ok(
    traffic.lastSuccess - over < recoveryMs,
    `served after ${Math.round(traffic.lastSuccess - over)} ms`,
  );
  await traffic.answered(20, 200);
  await traffic.stop();
  assert.deepEqual(traffic.wrong, []);
  for (const [frame, numbers] of traffic.acknowledged) {
    const rows = await readNumbers(urls[0] as string, frame);
    assert.deepEqual(
      rows.filter((row) => !traffic.uncertain.get(frame)?.has(row)),
      numbers,
    );
  }
  return traffic;
}

/** No place of a put or a read is taken any more. */
export async function noPlaceTaken(cluster: Cluster): Promise<void> {
  for (const { url } of cluster.nodes)
    await eventually('no place of a put or a read is taken', async () => {
      const { text } = await getText(`${url}/metrics`);
      const open = [...text.matchAll(/^framehold_(?:puts|reads)_open\{[^}]*\} (\d+)$/gm)];
      assert.ok(open.length >= 4, 'the metrics are read');
      return open.every(([, count]) => count === '0');
    });
}
