/** What goes over the wire for a forwarded answer, byte for byte, however its pieces come. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import type { ProxyReceiver } from '../../../src/frames/proxy/upstream-proxy.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { eventually } from '../../support/patience.ts';
import { type BareListener, startBareListener } from '../bare-listener.ts';

const flow = { pause() {}, resume() {} };
const allBytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const large = Buffer.alloc(100_000, 'large ');
const json = 'application/json; charset=utf-8';

/** What has come on the last connection. */
let come = '';
const hasCome = (text: string) => eventually(`${text} has come`, () => come.includes(text));

/** By the query: what the database sends. */
const answers: Readonly<Record<string, (receiver: ProxyReceiver) => void>> = {
  one(receiver) {
    receiver.head(200, json, flow);
    receiver.data(allBytes);
    receiver.end();
  },
  two(receiver) {
    receiver.head(200, json, flow);
    receiver.data(Buffer.from('first'));
    receiver.data(Buffer.from('second'));
    receiver.end();
  },
  async late(receiver) {
    receiver.head(200, json, flow);
    receiver.data(Buffer.from('first'));
    await hasCome('first');
    receiver.data(Buffer.from('second'));
    await hasCome('second');
    receiver.end();
  },
  blank(receiver) {
    receiver.head(200, json, flow);
    receiver.data(Buffer.alloc(0));
    receiver.data(Buffer.from('first'));
    receiver.data(Buffer.alloc(0));
    receiver.end();
  },
  empty(receiver) {
    receiver.head(400, undefined, flow);
    receiver.end();
  },
  none(receiver) {
    receiver.head(204, undefined, flow);
    receiver.end();
  },
  large(receiver) {
    receiver.head(200, json, flow);
    receiver.data(large);
    receiver.end();
  },
  async cut(receiver) {
    receiver.head(200, json, flow);
    receiver.data(Buffer.from('first'));
    await hasCome('first');
    receiver.failed(new FrameholdError('tsdb_failed', 'cut off'));
  },
};

let listener: BareListener;
before(async () => {
  listener = await startBareListener({
    proxy: {
      forward(_caller, rawQuery, receiver) {
        const name = /query=([a-z]+)/.exec(rawQuery)?.[1] ?? '';
        answers[name]?.(receiver);
        return () => {};
      },
    },
  });
});
after(() => listener.close());

/** Everything that comes until the server closes the connection. */
function exchange(text: string): Promise<string> {
  const { hostname, port } = new URL(listener.url);
  return new Promise((resolve, reject) => {
    come = '';
    connect({ host: hostname, port: Number(port) })
      .setEncoding('latin1')
      .on('data', (piece) => {
        come += piece;
      })
      .on('error', reject)
      .on('close', () => resolve(come))
      .write(text);
  });
}

function get(query: string, connection = 'close', version = '1.1'): string {
  return `GET /exec?query=${query}&fmt=json HTTP/${version}\r\nhost: a\r\nx-request-id: id\r\nconnection: ${connection}\r\n\r\n`;
}

interface Expected {
  readonly status?: string;
  readonly type?: string | null;
  /** The last lines of the head. */
  readonly last?: readonly string[];
}

const chunked = 'Transfer-Encoding: chunked';

function head({ status = '200 OK', type = json, last = ['Connection: close', chunked] }: Expected): string {
  const lines = [
    `HTTP/1.1 ${status}`,
    'x-request-id: id',
    'x-content-type-options: nosniff',
    "content-security-policy: default-src 'none'; frame-ancestors 'none'; sandbox",
    'x-frame-options: DENY',
    'referrer-policy: no-referrer',
    'cross-origin-resource-policy: same-origin',
    ...(type === null ? [] : [`content-type: ${type}`]),
    'Date: now',
    ...last,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

async function assertAnswer(request: string, expected: string): Promise<void> {
  const answer = (await exchange(request)).replaceAll(/\r\nDate: [^\r]*/g, '\r\nDate: now');
  assert.equal(answer, expected);
}

const oneChunk = `100\r\n${allBytes.toString('latin1')}\r\n0\r\n\r\n`;

test('an answer in one piece', async () => {
  await assertAnswer(get('one'), head({}) + oneChunk);
});

test('an answer in two pieces, at once and with pauses', async () => {
  const expected = `${head({})}5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n`;
  await assertAnswer(get('two'), expected);
  await assertAnswer(get('late'), expected);
});

test('an answer without a body, and one that cannot have any', async () => {
  await assertAnswer(get('empty'), `${head({ status: '400 Bad Request', type: null })}0\r\n\r\n`);
  await assertAnswer(
    get('none'),
    head({ status: '204 No Content', type: null, last: ['Connection: close'] }),
  );
});

test('empty pieces are left out', async () => {
  await assertAnswer(get('blank'), `${head({})}5\r\nfirst\r\n0\r\n\r\n`);
});

test('a large answer', async () => {
  await assertAnswer(get('large'), `${head({})}186a0\r\n${large.toString('latin1')}\r\n0\r\n\r\n`);
});

test('a caller that does not know chunks', async () => {
  await assertAnswer(
    get('one', 'close', '1.0'),
    head({ last: ['Connection: close'] }) + allBytes.toString('latin1'),
  );
});

test('several requests on one connection, sent at once', async () => {
  const kept = head({ last: ['Connection: keep-alive', 'Keep-Alive: timeout=60', chunked] });
  await assertAnswer(
    get('late', 'keep-alive') + get('one', 'keep-alive') + get('two'),
    `${kept}5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n${kept}${oneChunk}${head({})}5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n`,
  );
});

test('an answer that is cut off has no end, and the connection closes', async () => {
  const kept = head({ last: ['Connection: keep-alive', 'Keep-Alive: timeout=60', chunked] });
  await assertAnswer(get('cut', 'keep-alive'), `${kept}5\r\nfirst\r\n`);
});
