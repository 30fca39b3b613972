import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { objectFiles } from '../../server/test/support/catalog-file.ts';
import { getText, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';

let framehold: Framehold;
let frame: Buffer<ArrayBuffer>;
const csv = Buffer.from('a,b\n1,x\n2,y\n');
let names = 0;

before(async () => {
  framehold = await Framehold.start({ flags: ['--transcode-threads', '0'] });
  ({ frame } = await arrowBytes({ frame: `pa.table({'n': pa.array(range(100_000), pa.int64())})` }));
});
after(async () => await framehold.remove());

const digest = (bytes: Uint8Array, algorithm = 'sha256') =>
  `:${createHash(algorithm).update(bytes).digest('base64')}:`;

async function put(body: Buffer<ArrayBuffer>, headers: Record<string, string>, type?: string) {
  names += 1;
  const options = type === undefined ? { headers } : { headers, type };
  const answer = await send(framehold.url, `/v1/frames/d${names}`, body, options);
  return { ...answer, name: `d${names}` };
}

const bodies = () =>
  [
    ['Arrow', frame, {}, undefined],
    ['CSV', csv, {}, 'text/csv'],
    ['Arrow, gzip', gzipSync(frame), { 'content-encoding': 'gzip' }, undefined],
    ['CSV, zstd', zstdCompressSync(csv), { 'content-encoding': 'zstd' }, 'text/csv'],
  ] as const;

test('a digest of the content as sent is compared, and the frame is stored', async () => {
  for (const [what, body, coding, type] of bodies()) {
    for (const header of ['content-digest', 'repr-digest']) {
      for (const [key, algorithm] of [
        ['sha-256', 'sha256'],
        ['sha-512', 'sha512'],
      ] as const) {
        const answer = await put(body, { ...coding, [header]: `${key}=${digest(body, algorithm)}` }, type);
        assert.equal(answer.status, 201, `${what} ${header} ${key}: ${JSON.stringify(answer.json)}`);
      }
    }
  }
});

test('another digest: 400 digest_mismatch, and nothing is left', async () => {
  const before = objectFiles(framehold.dataDirectory);
  for (const [what, body, coding, type] of bodies()) {
    for (const [key, algorithm] of [
      ['sha-256', 'sha256'],
      ['sha-512', 'sha512'],
    ] as const) {
      const wrong = digest(Buffer.concat([body, Buffer.from('x')]), algorithm);
      const answer = await put(body, { ...coding, 'content-digest': `${key}=${wrong}` }, type);
      assert.deepEqual([answer.status, answer.json.code], [400, 'digest_mismatch'], `${what} ${key}`);
      assert.equal((await getText(`${framehold.url}/v1/frames/${answer.name}`)).status, 404);
    }
  }
  assert.deepEqual(objectFiles(framehold.dataDirectory), before);
});

test('one right and one wrong is wrong; the digest of decoded bytes is not that of the content', async () => {
  const both = `sha-256=${digest(frame)}, sha-512=${digest(csv, 'sha512')}`;
  assert.equal((await put(frame, { 'content-digest': both })).json.code, 'digest_mismatch');
  const headers = { 'content-encoding': 'gzip', 'content-digest': `sha-256=${digest(frame)}` };
  assert.equal((await put(gzipSync(frame), headers)).json.code, 'digest_mismatch');
});

test('algorithms that are not known are passed over; what cannot be read is 400', async () => {
  assert.equal((await put(frame, { 'content-digest': 'md5=:AAAA:' })).status, 201);
  const mixed = `unixsum=:AAAA:, sha-256=${digest(frame)}`;
  assert.equal((await put(frame, { 'content-digest': mixed })).status, 201);
  for (const text of [
    'sha-256',
    'sha-256=abc',
    'sha-256=:AAAA:',
    'sha-256=:***:',
    '=:AAAA:',
    'sha-256=:AAAA:,',
  ]) {
    const answer = await put(frame, { 'content-digest': text });
    assert.deepEqual([answer.status, answer.json.code], [400, 'bad_request'], text);
  }
});
