import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dictionary, int64, tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { Framehold, FrameholdError } from '../src/index.ts';
import { LocalServer, problem } from './local-server.ts';

const arrowType = 'application/vnd.apache.arrow.stream';
const numbers = Array.from({ length: 1_000 }, (_, index) => 2n ** 53n + BigInt(index));
const stream = tableToIPC(
  tableFromArrays(
    { n: numbers, s: numbers.map((value) => (value % 3n === 0n ? null : `s${value % 7n}`)) },
    { types: { n: int64(), s: dictionary(utf8()) }, maxBatchRows: 100, useBigInt: true },
  ),
  { format: 'stream' },
) as Uint8Array;

/** Sends bytes in pieces of a size, and closes the connection before the end of the body if there are fewer than all. */
async function serve(bytes: Uint8Array, pieceBytes = 1_000): Promise<LocalServer> {
  return await LocalServer.start((request, response) => {
    if (request.url?.startsWith('/v1/queries/'))
      return void response.end(
        JSON.stringify({ id: 'q1', state: 'failed', error: JSON.parse(problem(422, 'sql_failed')) }),
      );
    response.writeHead(200, { 'content-type': arrowType, 'framehold-query-id': 'q1' });
    let passed = 0;
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      const piece = bytes.subarray(start, start + pieceBytes);
      response.write(piece, () => {
        passed += piece.length;
        if (passed === bytes.length && passed < stream.length) response.destroy();
      });
    }
    if (bytes.length === stream.length) response.end();
  });
}

describe('rows', () => {
  it('are the same however the bytes are cut', async () => {
    for (const pieceBytes of [1, 7, 4_096, 1_000_000]) {
      await using server = await serve(stream, pieceBytes);
      const rows = await new Framehold({ url: server.url }).rows('f');
      const texts: (string | null)[] = [];
      let batches = 0;
      for await (const batch of rows) {
        batches++;
        for (let row = 0; row < batch.rowCount; row++) texts.push(batch.text(row, 0));
      }
      assert.equal(batches, 10);
      assert.deepEqual(texts, numbers.map(String));
    }
  });

  it('keep their dictionary over batches and tables', async () => {
    await using server = await serve(stream);
    const table = await (await new Framehold({ url: server.url }).rows('f')).table();
    assert.equal(table.numRows, 1_000);
    const expected = numbers.map((value) => (value % 3n === 0n ? null : `s${value % 7n}`));
    assert.deepEqual([...table.getChild('s')], expected);
    assert.deepEqual([...table.getChild('n')], numbers);
  });

  it('that end too early are an error, wherever they end', async () => {
    for (let length = 1; length < stream.length; length += 997) {
      await using server = await serve(stream.subarray(0, length));
      const read = async () => {
        const rows = await new Framehold({ url: server.url }).rows('f');
        for await (const _ of rows);
      };
      await assert.rejects(read(), { code: 'incomplete_answer' }, `${length} bytes`);
    }
  });

  it('of a statement that failed in the middle say why', async () => {
    await using server = await serve(stream.subarray(0, stream.length >> 1));
    const rows = await new Framehold({ url: server.url }).sql('select 1');
    const read = async () => {
      for await (const _ of rows);
    };
    await assert.rejects(read(), { code: 'sql_failed', status: 422, queryId: 'q1' });
  });

  it('above the limit are cut off, and that is said', async () => {
    for (const [limit, cut] of [
      [250, true],
      [999, true],
      [1_000, false],
    ] as const) {
      await using server = await serve(stream);
      const rows = await new Framehold({ url: server.url }).sql('select 1', { limit });
      const table = await rows.table();
      assert.equal(table.numRows, limit);
      assert.equal(rows.cut, cut);
      const strings = table.getChild('s');
      assert.equal(strings.nullCount, [...strings].filter((value) => value === null).length);
    }
  });

  it('end with the reason of their signal', async () => {
    await using server = await LocalServer.start((_request, response) => {
      response.writeHead(200, { 'content-type': arrowType }).write(stream.subarray(0, stream.length >> 1));
    });
    const controller = new AbortController();
    const rows = await new Framehold({ url: server.url }).rows('f', { signal: controller.signal });
    const read = async () => {
      for await (const _ of rows) controller.abort(new Error('enough'));
    };
    await assert.rejects(read(), { message: 'enough' });
  });

  it('can be read once', async () => {
    await using server = await serve(stream);
    const rows = await new Framehold({ url: server.url }).rows('f');
    await rows.table();
    await assert.rejects(rows.table(), /read already/);
  });

  it('that are damaged end as an error of the client', async () => {
    let refused = 0;
    for (let position = 0; position < 2_000; position += 13) {
      const damaged = Uint8Array.from(stream);
      damaged[position] = (damaged[position] as number) ^ 0x55;
      await using server = await serve(damaged, 100_000);
      try {
        await (await new Framehold({ url: server.url }).rows('f')).table();
      } catch (thrown) {
        refused++;
        assert.ok(
          thrown instanceof FrameholdError,
          `byte ${position}: ${thrown instanceof Error ? thrown.stack : thrown}`,
        );
      }
    }
    assert.ok(refused > 0);
  });
});
