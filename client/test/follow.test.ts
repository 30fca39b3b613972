import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { int64, tableFromArrays, tableToIPC } from '@uwdata/flechette';
import { formatPosition, parsePosition } from '../src/follow/position.ts';
import { Framehold, type FrameholdError } from '../src/index.ts';
import { LocalServer, problem } from './local-server.ts';

const arrow = (numbers: readonly number[]) =>
  tableToIPC(tableFromArrays({ n: [...numbers] }, { types: { n: int64() }, maxBatchRows: 10 }), {
    format: 'stream',
  }) as Uint8Array;
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

/** A log whose version k has k * 25 rows. */
class Log implements AsyncDisposable {
  version: number;
  readonly asked: string[] = [];
  /** Answers instead of the log, once. */
  readonly instead: ((response: ServerResponse) => void)[] = [];
  #server: LocalServer | undefined;
  readonly streams: ServerResponse[] = [];

  private constructor(version: number) {
    this.version = version;
  }

  static async start(version: number): Promise<Log> {
    const log = new Log(version);
    log.#server = await LocalServer.start((request, response) => {
      const url = new URL(request.url ?? '', 'http://x');
      if (url.pathname === '/v1/events') {
        log.streams.push(response);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('event: hello\nid: 1\ndata: {"last":1}\n\n');
        return;
      }
      const instead = log.instead.shift();
      if (instead !== undefined) return instead(response);
      if (url.pathname === '/v1/frames/log') {
        response.end(JSON.stringify({ version: log.version }));
        return;
      }
      log.#rows(url, response);
    });
    return log;
  }

  get client(): Framehold {
    return new Framehold({ url: (this.#server as LocalServer).url });
  }

  event(kind: string, data: object): void {
    for (const stream of this.streams)
      stream.write(`id: 9\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  append(): void {
    this.version++;
    this.event('frame.appended', { name: 'log', version: this.version });
  }

  /** It was asked after `hello`, too, and has a reason for another question only if there is an event. */
  async isQuiet(): Promise<void> {
    while (this.streams.length === 0 || this.asked.length < 2) await new Promise(setImmediate);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  #rows(url: URL, response: ServerResponse): void {
    const [, after = '', until = ''] = /log@(\d+)\.\.(\d*)\/rows/.exec(url.pathname) ?? [];
    const offset = Number(url.searchParams.get('offset') ?? 0);
    this.asked.push(`${after}..${until}+${offset}`);
    const end = until === '' ? this.version : Number(until);
    const numbers = range(Number(after) * 25, end * 25);
    const limit = Number(url.searchParams.get('limit') ?? Number.POSITIVE_INFINITY);
    const wanted = numbers.slice(offset, offset + limit);
    response.writeHead(200, {
      'framehold-handle': `log@${after}..${end}`,
      'framehold-rows-total': `${numbers.length}`,
    });
    response.end(url.searchParams.get('fmt') === 'arrow' ? arrow(wanted) : `n\r\n${wanted.join('\r\n')}\r\n`);
  }
}

interface Found {
  readonly numbers: number[];
  readonly positions: string[];
}

async function take(
  log: Log,
  options: Parameters<Framehold['frames']['follow']>[1],
  onBatch: (found: Found) => boolean | undefined = () => undefined,
): Promise<Found> {
  const found: Found = { numbers: [], positions: [] };
  for await (const batch of log.client.frames.follow('log', options)) {
    for (let row = 0; row < batch.rowCount; row++) found.numbers.push(Number(batch.text(row, 0)));
    found.positions.push(batch.position);
    if (onBatch(found) === true) break;
  }
  return found;
}

describe('positions', () => {
  it('are versions, or places between two', () => {
    for (const text of ['0', '12', '12..20+500', '0..1+1'])
      assert.equal(formatPosition(parsePosition(text)), text);
    assert.equal(formatPosition(parsePosition(7)), '7');
    for (const since of ['', '-1', '01', '1.5', '12..20', '12..', '12..20+0', 'log@12', -1, 1.5, Number.NaN])
      assert.throws(() => parsePosition(since), { code: 'bad_argument' }, String(since));
  });
});

describe('following', () => {
  it('reads what is there, and waits for more', async () => {
    await using log = await Log.start(2);
    const found = await take(log, { since: 0 }, ({ numbers }) => {
      if (numbers.length === 50) setImmediate(() => log.append());
      return numbers.length >= 75;
    });
    assert.deepEqual(found.numbers, range(0, 75));
    assert.deepEqual(found.positions, [
      '0..2+10',
      '0..2+20',
      '0..2+30',
      '0..2+40',
      '2',
      '2..3+10',
      '2..3+20',
      '3',
    ]);
  });

  it('goes on after any batch', async () => {
    await using log = await Log.start(3);
    const { positions } = await take(log, { since: 1, timeoutMs: 0 });
    for (const [index, since] of positions.entries()) {
      const rest = await take(log, { since, timeoutMs: 0 });
      assert.deepEqual(rest.numbers, range(25, 75).slice((index + 1) * 10), since);
    }
    // Behind a given end there is more.
    assert.deepEqual((await take(log, { since: '0..1+10', timeoutMs: 0 })).numbers, range(10, 75));
  });

  it('begins with the newest version without since', async () => {
    await using log = await Log.start(4);
    const following = take(log, {}, () => true);
    while (log.asked.length === 0) await new Promise(setImmediate);
    log.append();
    assert.deepEqual((await following).numbers, range(100, 110));
  });

  it('reads many versions of which it heard at once in one go', async () => {
    await using log = await Log.start(1);
    const found = await take(log, { since: 0 }, ({ numbers }) => {
      if (numbers.length === 25) for (let count = 0; count < 40; count++) log.append();
      return numbers.length === 41 * 25;
    });
    assert.deepEqual(found.numbers, range(0, 41 * 25));
    assert.ok(log.asked.length < 8, log.asked.join());
  });

  it('asks again after a reset, and after a change of any kind', async () => {
    for (const [kind, data] of [
      ['reset', { last: 99 }],
      ['frame.replaced', { name: 'log', version: 2 }],
      ['frame.dropped', { name: 'log', version: 2 }],
      ['frame.changed', { name: 'log', version: 2, change: 'version' }],
    ] as const) {
      await using log = await Log.start(1);
      const following = take(log, { since: 1, timeoutMs: 10_000 }, () => true);
      await log.isQuiet();
      log.version++;
      log.event(kind, data);
      assert.deepEqual((await following).numbers, range(25, 35), kind);
    }
  });

  it('leaves alone what happens to others, and background work', async () => {
    await using log = await Log.start(1);
    const following = take(log, { since: 1, timeoutMs: 1_000 });
    await log.isQuiet();
    const before = log.asked.length;
    log.event('frame.appended', { name: 'log2', version: 2 });
    log.event('frame.settled', { name: 'log', version: 1 });
    log.event('frame.changed', { name: 'log', version: 1, change: 'expiry' });
    assert.deepEqual((await following).numbers, []);
    assert.equal(log.asked.length, before);
  });

  it('goes on at the row where an answer broke off', async () => {
    await using log = await Log.start(2);
    const half = arrow(range(0, 50)).subarray(0, 900);
    log.instead.push((response) => {
      response.writeHead(200, { 'framehold-handle': 'log@0..2', 'framehold-rows-total': '50' });
      response.write(half, () => response.destroy());
    });
    log.version = 3;
    const found = await take(log, { since: 0 }, ({ numbers }) => numbers.length === 75);
    assert.deepEqual(found.numbers, range(0, 75));
    assert.match(log.asked[0] ?? '', /^0\.\.2\+[1-4]0$/);
  });

  it('waits for a server that restarts, and ends with answers that always break off', async () => {
    await using log = await Log.start(1);
    log.instead.push(
      (response) => void response.destroy(),
      (response) => void response.writeHead(503).end(problem(503, 'draining')),
    );
    assert.deepEqual(
      (await take(log, { since: 0 }, ({ numbers }) => numbers.length === 25)).numbers,
      range(0, 25),
    );
    for (let count = 0; count < 10; count++)
      log.instead.push((response) => {
        response.writeHead(200, { 'framehold-handle': 'log@0..1', 'framehold-rows-total': '25' });
        response.write(arrow([]).subarray(0, 20), () => response.destroy());
      });
    await assert.rejects(take(log, { since: 0, timeoutMs: 60_000 }), { code: 'incomplete_answer' });
    assert.ok(log.instead.length > 0);
  });

  it('ends with errors that waiting does not solve', async () => {
    for (const [status, code] of [
      [409, 'not_append_only'],
      [410, 'position_unknown'],
      [410, 'frame_gone'],
      [404, 'frame_not_found'],
      [401, 'unauthenticated'],
    ] as const) {
      await using log = await Log.start(1);
      log.instead.push((response) => void response.writeHead(status).end(problem(status, code)));
      await assert.rejects(take(log, { since: 1 }), { code, status });
    }
  });

  it('waits for a frame that does not exist, and gives all of its rows then', async () => {
    for (const since of [undefined, 0]) {
      await using log = await Log.start(0);
      log.instead.push((response) => void response.writeHead(404).end(problem(404, 'frame_not_found')));
      // The question after `hello`, too.
      log.instead.push((response) => void response.writeHead(404).end(problem(404, 'frame_not_found')));
      const following = take(
        log,
        since === undefined ? {} : { since },
        ({ numbers }) => numbers.length === 25,
      );
      while (log.instead.length > 0) await new Promise(setImmediate);
      log.version = 1;
      log.event('frame.created', { name: 'log', version: 1 });
      assert.deepEqual((await following).numbers, range(0, 25));
    }
  });

  it('ends in time, and says if there was no frame until then', async () => {
    await using log = await Log.start(1);
    assert.deepEqual((await take(log, { since: 0, timeoutMs: 50 })).numbers, range(0, 25));
    assert.deepEqual((await take(log, { timeoutMs: 0 })).numbers, []);
    for (const timeoutMs of [0, 50]) {
      for (let count = 0; count < 2; count++)
        log.instead.push((response) => void response.writeHead(404).end(problem(404, 'frame_not_found')));
      await assert.rejects(take(log, { timeoutMs }), { code: 'frame_not_found' });
      log.instead.splice(0);
    }
  });

  it('ends after a number of rows, at a place from which it goes on', async () => {
    await using log = await Log.start(2);
    const { numbers, positions } = await take(log, { since: 0, limit: 33 });
    assert.deepEqual(numbers, range(0, 33));
    assert.equal(positions.at(-1), '0..2+33');
    assert.deepEqual((await take(log, { since: 0, limit: 0 })).numbers, []);
  });

  it('ends with its signal, and closes its connections when the loop is left', async () => {
    await using log = await Log.start(1);
    const controller = new AbortController();
    const following = take(log, { since: 1, signal: controller.signal });
    while (log.streams.length === 0) await new Promise(setImmediate);
    const closed = Promise.withResolvers<void>();
    log.streams[0]?.on('close', closed.resolve);
    controller.abort(new Error('enough'));
    await assert.rejects(following, { message: 'enough' });
    await closed.promise;
  });

  it('ends with the error of the event stream', async () => {
    await using server = await LocalServer.start((request, response) => {
      if (request.url === '/v1/events') response.writeHead(403).end(problem(403, 'access_denied'));
      else
        response
          .writeHead(200, { 'framehold-handle': 'log@1..1', 'framehold-rows-total': '0' })
          .end(arrow([]));
    });
    const follow = async () => {
      for await (const _ of new Framehold({ url: server.url }).frames.follow('log', { since: 1 }));
    };
    await assert.rejects(follow(), { code: 'access_denied' });
  });

  it('asks by the clock for frames of other tenants, which have no events here', async () => {
    let asked = 0;
    await using server = await LocalServer.start((request, response) => {
      assert.notEqual(request.url, '/v1/events');
      const rows = ++asked === 1 ? [] : [25];
      response
        .writeHead(200, {
          'framehold-handle': `other:log@1..${asked}`,
          'framehold-rows-total': `${rows.length}`,
        })
        .end(arrow(rows));
    });
    const began = performance.now();
    for await (const batch of new Framehold({ url: server.url }).frames.follow('other:log', { since: 1 })) {
      assert.equal(batch.position, '2');
      break;
    }
    assert.ok(performance.now() - began > 1_500);
  });

  it('refuses a handle, and a server that does not know rows since a version', async () => {
    await using server = await LocalServer.start((_request, response) => void response.end(arrow([1])));
    const client = new Framehold({ url: server.url });
    const first = async (name: string) => await client.frames.follow(name, { since: 0 }).next();
    await assert.rejects(first('log@12'), { code: 'bad_argument' });
    await assert.rejects(first('log'), (error: FrameholdError) => error.code === 'unreadable_answer');
  });
});

describe('following as text', () => {
  it('gives pages, each whole', async () => {
    await using log = await Log.start(1_000);
    log.instead.push((response) => {
      response.writeHead(200, { 'framehold-handle': 'log@0..1000', 'framehold-rows-total': '25000' });
      response.write('n\r\n1\r\n', () => response.destroy());
    });
    const pages: [string, number, string][] = [];
    let text = '';
    for await (const page of log.client.frames.followText('log', {
      since: 0,
      format: 'csv',
      limit: 24_000,
    })) {
      pages.push([page.position, page.rowCount, page.handle]);
      text += page.text.split('\r\n').slice(1).join('\n');
    }
    assert.deepEqual(pages, [
      ['0..1000+10000', 10_000, 'log@0..1000'],
      ['0..1000+20000', 10_000, 'log@0..1000'],
      ['0..1000+24000', 4_000, 'log@0..1000'],
    ]);
    assert.equal(
      text,
      range(0, 24_000)
        .map((n) => `${n}\n`)
        .join(''),
    );
  });
});
