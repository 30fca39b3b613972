import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { FrameholdError } from '../../src/model/errors.ts';
import { TsdbClient } from '../../src/upstream/tsdb-client.ts';
import { FakeUpstream, type SeenRequest } from '../support/fake-upstream.ts';
import { assertTook } from '../support/machine-pace.ts';
import { timePasses } from '../support/passing-time.ts';
import { eventually, patienceMs } from '../support/patience.ts';

const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers) await close();
});

const never = new AbortController().signal;
const columns = [
  { name: 'id', type: 'LONG' },
  { name: 'c', type: 'CHAR' },
  { name: 'g', type: 'GEOHASH(4c)' },
];

function send(request: SeenRequest, status: string, type: string, body: string): void {
  request.socket.write(
    `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** A database that describes every query by these columns, and answers /exp as the test wants. */
async function database(answerExport: (request: SeenRequest) => void, described = columns) {
  const fake = await FakeUpstream.start((request) => {
    if (/^GET (\/base)?\/exec/.test(request.head)) {
      send(
        request,
        '200 OK',
        'application/json; charset=utf-8',
        JSON.stringify({ columns: described, dataset: [], count: 0 }),
      );
    } else answerExport(request);
  });
  closers.push(() => fake.stop());
  return fake;
}

interface Asked {
  readonly body: string;
  readonly error: FrameholdError | null;
}

interface Wanted {
  readonly query?: string;
  readonly signal?: AbortSignal;
  readonly write?: (chunk: Uint8Array) => Promise<void>;
  readonly urlBytesMax?: number;
  readonly authorization?: string;
  readonly timeoutMs?: number;
}

/** For tests of the time-out. */
const soon = { timeoutMs: 300 };

async function ask(url: string, wanted: Wanted = {}): Promise<Asked> {
  const { query = 'select * from t', signal = never, write = async () => {}, urlBytesMax = 32_209 } = wanted;
  const { authorization = null, timeoutMs = patienceMs } = wanted;
  const client = new TsdbClient({ url, authorization, timeoutMs, connectionsMax: 2, urlBytesMax });
  closers.push(() => client.close());
  let body = '';
  try {
    await client.exportParquet(
      { query, rows: 'all', begin: () => {} },
      async (chunk) => {
        await write(chunk);
        body += Buffer.from(chunk).toString();
      },
      signal,
    );
    return { body, error: null };
  } catch (error) {
    assert.ok(error instanceof FrameholdError || signal.aborted || wanted.write, String(error));
    return { body, error: error as FrameholdError };
  }
}

const parquet = 'application/vnd.apache.parquet';

function targetOf({ head }: SeenRequest): URL {
  return new URL((head.split(' ')[1] as string) ?? '', 'http://database');
}

describe('export as Parquet', () => {
  it('asks for the columns, then for the rows, with as text what Parquet has no type for', async () => {
    const fake = await database((request) => send(request, '200 OK', parquet, 'PAR1'));
    assert.deepEqual(await ask(`${fake.url}/base/`), { body: 'PAR1', error: null });
    const [described, exported] = fake.seen.map(targetOf);
    assert.equal(described?.pathname, '/base/exec');
    assert.equal(described?.searchParams.get('query'), 'select * from (select * from t\n) limit 0');
    assert.equal(exported?.pathname, '/base/exp');
    assert.equal(exported?.searchParams.get('fmt'), 'parquet');
    assert.equal(
      exported?.searchParams.get('query'),
      'select "id", "c"::string "c", case when "g" is not null then "g"::string end "g" from (select * from t\n) limit 9223372036854775807',
    );
  });

  it('a statement that is no SELECT is never sent', async () => {
    const fake = await database(() => {});
    assert.equal((await ask(fake.url, { query: 'drop table t' })).error?.kind, 'sql_refused');
    assert.equal(fake.seen.length, 0);
  });

  it("a refused query → sql_invalid with the database's own words and the position in the caller's text", async () => {
    const fake = await FakeUpstream.start((request) =>
      send(
        request,
        '400 Bad request',
        'application/json',
        JSON.stringify({ query: 'q', error: 'Invalid column: nosuch', position: 22 }),
      ),
    );
    closers.push(() => fake.stop());
    const { error } = await ask(fake.url);
    assert.equal(error?.kind, 'sql_invalid');
    assert.match(error.message, /Invalid column: nosuch \(position 7 of its text\)\.$/);
  });

  it('a column whose name cannot be quoted is named', async () => {
    const fake = await database(() => {}, [
      { name: 'a.b', type: 'LONG' },
      { name: 'c', type: 'CHAR' },
    ]);
    const { error } = await ask(fake.url);
    assert.equal(error?.kind, 'sql_invalid');
    assert.match(error.message, /"a\.b"/);
  });

  const refusals: readonly (readonly [
    what: string,
    status: string,
    type: string,
    body: string,
    kind: string,
  ])[] = [
    [
      'its own time-out',
      '400 Bad request',
      'application/json',
      '{"error":"timeout, query aborted [fd=1]","position":0}',
      'tsdb_timeout',
    ],
    ['a fault', '500 Oops', 'application/json', '{"error":"broken"}', 'tsdb_failed'],
    ['credentials that it does not take', '401 Unauthorized', 'text/plain', 'Unauthorized', 'tsdb_failed'],
    ['400 in another shape', '400 Bad request', 'text/html', '<html>', 'tsdb_failed'],
    ['200 in another format', '200 OK', 'text/csv', '1,2', 'tsdb_failed'],
    ['a redirect', '302 Found\r\nLocation: http://127.0.0.1:1/', parquet, '', 'tsdb_failed'],
  ];
  for (const [what, status, type, body, kind] of refusals) {
    it(`${what} → ${kind}`, async () => {
      const fake = await database((request) => send(request, status, type, body));
      const asked = await ask(fake.url);
      assert.equal(asked.error?.kind, kind);
      assert.equal(asked.body, '');
    });
  }

  it('too many exports at once → tried again until the time-out, then overloaded', async () => {
    let tries = 0;
    const fake = await database((request) => {
      tries += 1;
      if (tries < 3) send(request, '429 Too many', 'text/plain', 'exceeded connection limit');
      else send(request, '200 OK', parquet, 'PAR1');
    });
    assert.deepEqual(await ask(fake.url), { body: 'PAR1', error: null });
    const busy = await database((request) => send(request, '429 Too many', 'text/plain', 'exceeded'));
    // Each try has to be answered within it, too.
    assert.equal((await ask(busy.url, { timeoutMs: 5_000 })).error?.kind, 'overloaded');
  });

  it('a body that is cut → tsdb_failed', async () => {
    const fake = await database((request) =>
      request.socket.end(
        `HTTP/1.1 200 OK\r\nContent-Type: ${parquet}\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nPAR1\r\n`,
      ),
    );
    const { body, error } = await ask(fake.url);
    assert.deepEqual([body, error?.kind], ['PAR1', 'tsdb_failed']);
  });

  it('a pause in the body → tsdb_timeout', async () => {
    const fake = await database((request) =>
      request.socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: ${parquet}\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nPAR1\r\n`,
      ),
    );
    assert.equal((await ask(fake.url, soon)).error?.kind, 'tsdb_timeout');
  });

  it('no answer → tsdb_timeout', async () => {
    const fake = await database(() => {});
    assert.equal((await ask(fake.url, soon)).error?.kind, 'tsdb_timeout');
  });

  it('a megabyte of text → url_too_long at once, before it is read', async () => {
    const began = performance.now();
    const query = `select ${'('.repeat(1024 * 1024)}`;
    assert.equal((await ask('http://127.0.0.1:1', { query })).error?.kind, 'url_too_long');
    assertTook(performance.now() - began, 100);
  });

  it('a URL longer than the database takes → url_too_long, and nothing is sent', async () => {
    const fake = await database(() => {});
    assert.equal((await ask(fake.url, { urlBytesMax: 70 })).error?.kind, 'url_too_long');
    assert.equal(fake.seen.length, 0);
  });

  it('a caller that goes away ends the request', async () => {
    const fake = await database(() => {});
    const abort = new AbortController();
    const asked = ask(fake.url, { signal: abort.signal });
    await eventually('the second request', () => fake.seen.length === 2);
    abort.abort();
    assert.equal((await asked).error?.name, 'AbortError');
    await fake.seen[1]?.gone;
  });

  it('a writer that fails ends the request with its own error', async () => {
    const fake = await database((request) =>
      request.socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: ${parquet}\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nPAR1\r\n`,
      ),
    );
    const full = new Error('no room');
    const { error } = await ask(fake.url, { write: () => Promise.reject(full) });
    assert.equal(error, full);
    await fake.seen[1]?.gone;
  });

  it('a slow writer holds the database back: one write at a time, nothing lost', async () => {
    const piece = 'x'.repeat(64 * 1024);
    const pieces = 64;
    const fake = await database((request) => send(request, '200 OK', parquet, piece.repeat(pieces)));
    let writing = 0;
    let most = 0;
    const { body, error } = await ask(fake.url, {
      write: async () => {
        writing += 1;
        most = Math.max(most, writing);
        await timePasses(1, 'a slow writer');
        writing -= 1;
      },
    });
    assert.equal(error, null);
    assert.equal(body.length, piece.length * pieces);
    assert.equal(most, 1);
  });

  it('the credential goes out with each request and is never shown', async () => {
    const fake = await database((request) => send(request, '500 Oops', 'text/plain', 'no'));
    const { error } = await ask(fake.url, { authorization: 'Bearer sesame' });
    assert.deepEqual(
      fake.seen.map(({ head }) => /\r\nauthorization: (.*)\r\n/i.exec(head)?.[1]),
      ['Bearer sesame', 'Bearer sesame'],
    );
    assert.doesNotMatch(`${error?.message} ${error?.hint}`, /sesame/);
  });

  for (const status of ['401 Unauthorized', '403 Forbidden']) {
    it(`${status} → whose credential it is that the database refuses, or misses`, async () => {
      const fake = await FakeUpstream.start((request) => send(request, status, 'text/plain', 'sesame'));
      closers.push(() => fake.stop());
      const refused = (await ask(fake.url, { authorization: 'Bearer sesame' })).error;
      assert.equal(refused?.kind, 'tsdb_failed');
      assert.match(refused.message, /refuses the credential that this server has for it \(40[13]\)\.$/);
      assert.match(refused.hint ?? '', /tsdb\.username/);
      const missed = (await ask(fake.url)).error;
      assert.match(missed?.message ?? '', /wants a credential, and this server has none/);
      for (const error of [refused, missed]) assert.doesNotMatch(JSON.stringify(error), /sesame/);
    });
  }

  it('a description of columns that never ends → tsdb_failed, and the request is ended', async () => {
    const fake = await FakeUpstream.start(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n');
      const piece = ' '.repeat(64 * 1024);
      const more = () => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', more);
      more();
    });
    closers.push(() => fake.stop());
    const { error } = await ask(fake.url);
    assert.equal(error?.kind, 'tsdb_failed');
    assert.match(error.message, /more than 4194304 bytes/);
    await fake.seen[0]?.gone;
  });
});
