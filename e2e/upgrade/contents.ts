/** What a server is filled with before it is replaced, and what callers see of it: whatever it was, the server that follows shows the same. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { arrowStreamType } from '../../server/test/support/frame-client.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { arrowBytes } from '../../server/test/support/python.ts';

const tables = {
  numbers: `pa.table({'n': pa.array(range(5000), pa.int64()), 'half': [n / 2 for n in range(5000)],
    'amount': pa.array([__import__('decimal').Decimal(n) / 100 for n in range(5000)], pa.decimal128(18, 2))})`,
  times: `pa.table({'day': pa.array([0, 19000, None], pa.date32()), 'at': pa.array([1, None, 10**15], pa.timestamp('us', 'Europe/Berlin')),
    'ns': pa.array([1, 2, None], pa.timestamp('ns')), 'clock': pa.array([None, 5, 86399], pa.time32('s')),
    'span': pa.array([(1, 2, 3), None, (0, 0, 0)], pa.month_day_nano_interval())})`,
  nested: `pa.table({'list': pa.array([[1, None], [], None], pa.list_(pa.int32())), 'map': pa.array([[('a', 1)], [], None], pa.map_(pa.string(), pa.int8())),
    'struct': [{'x': 1.5, 'y': 'é'}, None, {'x': None, 'y': ''}],
    'category': pa.array(['b', 'a', None], pa.string()).dictionary_encode(), 'view': pa.array(['short', 'longer than twelve bytes', None], pa.string_view())})`,
  ends: `pa.table({'run': pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(['x', None]))})`,
  empty: `pa.table({'nothing': pa.array([], pa.string())})`,
};

export class Tenant {
  readonly #token: string;
  link = '';

  constructor(token: string) {
    this.#token = token;
  }

  async ask(
    url: string,
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const type = typeof body === 'string' ? 'text/csv' : arrowStreamType;
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return {
      status: answer.status,
      etag: answer.headers.get('etag'),
      isJson: answer.headers.get('content-type')?.startsWith('application/json') === true,
      bytes,
      text: bytes.toString('utf8'),
    };
  }

  /** Of a request that is answered. */
  async text(
    url: string,
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const { status, text } = await this.ask(url, method, path, body, headers);
    assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
    return text;
  }

  /** Something of each kind that a server remembers. */
  async fill(url: string): Promise<void> {
    for (const [name, bytes] of Object.entries(await arrowBytes(tables)))
      await this.text(url, 'PUT', `/v1/frames/${name}`, bytes);
    const json = { 'content-type': 'application/json' };
    for (let round = 0; round < 6; round++) {
      await this.text(url, 'PUT', '/v1/frames/replaced', `round\n${round}\n`);
      const [method, path] = round === 0 ? ['PUT', ''] : ['POST', '/rows'];
      await this.text(url, method, `/v1/frames/numbered${path}`, `n\n${round}\n`);
    }
    await this.text(url, 'POST', '/v1/frames/numbered/rows', 'n\n100\n', appendKey);
    await this.text(url, 'PATCH', '/v1/frames/replaced', '{"versionsKeep":4}', json);
    await this.text(url, 'PUT', '/v1/frames/dropped', 'a\n1\n');
    await this.text(url, 'DELETE', '/v1/frames/dropped');
    await this.text(url, 'PUT', '/v1/frames/short?ttl=86400', 'a\n1\n');
    await this.text(url, 'PUT', '/v1/frames/replaced/shares/other');
    await this.text(url, 'PUT', '/v1/saved-queries/count', '{"sql":"select 1"}', json);
    // What SQL reads is settled now; the rest is, or is not, when the server ends.
    await this.text(url, 'POST', '/v1/sql', 'select sum(n) from numbers', {
      'content-type': 'application/sql',
    });
    await this.text(url, 'GET', '/v1/frames/numbers/statistics');
    // Of six versions four stay.
    await this.#isGone(url, 'replaced@2');
    const made = JSON.parse(await this.text(url, 'POST', '/v1/frames/replaced/links', '{}', json));
    const { pathname, search } = new URL(made.url);
    this.link = pathname + search;
    await eventually('the statement is in the history', async () =>
      (await this.text(url, 'GET', '/v1/history')).includes('sum(n)'),
    );
  }

  /** What it shows to its callers, by the request: texts as they are, bytes by their hash. Members that are new in a description do not count, so JSON is parsed. */
  async seen(url: string): Promise<Map<string, unknown>> {
    const all = new Map<string, unknown>();
    const note = async (path: string) => {
      const { status, etag, isJson, bytes, text } = await this.ask(url, 'GET', path);
      // An error names its request.
      if (status >= 400) all.set(path, { status, code: JSON.parse(text).code });
      else if (isJson) all.set(path, { status, etag, json: JSON.parse(text) });
      else all.set(path, { status, etag, hash: createHash('sha256').update(bytes).digest('hex') });
    };
    const names = [
      ...Object.keys(tables),
      'replaced',
      'numbered',
      'short',
      'dropped',
      'replaced@4',
      'replaced@1',
    ];
    for (const name of names) {
      await note(`/v1/frames/${name}`);
      await note(`/v1/frames/${name}/rows?fmt=arrow`);
      await note(`/v1/frames/${name}/rows?fmt=ndjson`);
      await note(`/v1/frames/${name}/rows?fmt=csv&offset=1&limit=2`);
      await note(`/exec?handle=${name}&fmt=json`);
    }
    await note('/v1/frames?limit=100');
    await note('/v1/frames/replaced/versions');
    await note('/v1/frames/replaced/shares');
    await note('/v1/frames/replaced/diff?from=5&to=6');
    await note('/v1/frames/numbers/statistics');
    await note('/v1/saved-queries');
    await note(`${this.link}&fmt=csv`);
    for (const sql of [
      'select sum(n), count(*) from numbered',
      'from replaced',
      'select * from times order by day',
    ])
      await note(`/v1/sql?${new URLSearchParams({ query: sql, fmt: 'ndjson' })}`);
    return all;
  }

  /** What is possible with what was there before: nothing is done twice, nothing has lost its past. */
  async goOn(url: string): Promise<void> {
    const before = await this.text(url, 'GET', '/v1/frames/numbered/rows?fmt=csv');
    await this.text(url, 'POST', '/v1/frames/numbered/rows', 'n\n100\n', appendKey);
    assert.equal(await this.text(url, 'GET', '/v1/frames/numbered/rows?fmt=csv'), before, 'a repeated key');
    await this.text(url, 'POST', '/v1/frames/numbered/rows', 'n\n101\n');
    assert.equal(await this.text(url, 'GET', '/v1/frames/numbered/rows?fmt=csv'), `${before}101\r\n`);
    await this.text(url, 'POST', '/v1/frames/dropped/undrop');
    assert.equal(await this.text(url, 'GET', '/v1/frames/dropped/rows?fmt=csv'), 'a\r\n1\r\n');
    const { etag } = await this.ask(url, 'GET', '/v1/frames/replaced');
    await this.text(url, 'PUT', '/v1/frames/replaced', 'round\n7\n', { 'if-match': etag ?? '' });
    const stale = await this.ask(url, 'PUT', '/v1/frames/replaced', 'round\n8\n', { 'if-match': etag ?? '' });
    assert.equal(stale.status, 412, stale.text);
    await this.text(url, 'DELETE', '/v1/frames/short');
    await this.#isGone(url, 'replaced@3');
  }

  async #isGone(url: string, handle: string): Promise<void> {
    await eventually(
      `${handle} is gone`,
      async () => (await this.ask(url, 'GET', `/v1/frames/${handle}`)).status === 410,
    );
  }
}

const appendKey = { 'idempotency-key': 'the-last-append' };

/** Everything that was seen before is seen now. What is new in JSON is not looked at. */
export function assertSeen(
  now: ReadonlyMap<string, unknown>,
  before: ReadonlyMap<string, unknown>,
  when: string,
): void {
  for (const [path, was] of before) assertPart(now.get(path), was, `${when}: ${path}`);
}

function assertPart(now: unknown, was: unknown, place: string): void {
  if (Array.isArray(was)) {
    assert.ok(Array.isArray(now) && now.length === was.length, `${place}: ${JSON.stringify(now)}`);
    for (const [index, each] of was.entries()) assertPart(now[index], each, `${place}[${index}]`);
  } else if (typeof was === 'object' && was !== null) {
    assert.ok(typeof now === 'object' && now !== null, `${place}: ${JSON.stringify(now)}`);
    // Counted anew, or measured.
    for (const [name, each] of Object.entries(was))
      if (!['timings', 'expiresIn', 'ageMs'].includes(name))
        assertPart((now as Record<string, unknown>)[name], each, `${place}.${name}`);
  } else assert.deepEqual(now, was, place);
}
