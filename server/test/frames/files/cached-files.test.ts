import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CachedFiles } from '../../../src/frames/files/cached-files.ts';
import { PieceWriter } from '../../../src/frames/files/file-pieces.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import type { VersionRecord } from '../../../src/model/version.ts';
import type { FileLayout, FileObject } from '../../../src/ports/catalog/files.ts';
import { eventually } from '../../support/patience.ts';

function recordOf(version: number, incarnation = 0): VersionRecord {
  const fields = { tenant: 'acme', name: 'f', version, versionId: `id-${version}`, incarnation };
  return fields as unknown as VersionRecord;
}

function layoutOf(etag: string): FileLayout {
  const writer = new PieceWriter();
  writer.add(0, 0, 4);
  const object = { key: 'acme/a.0.parquet', bytes: 4, sha256: '', isOwn: true };
  return { etag, bytes: 4, objects: [object], pieces: writer.finish() };
}

/** A catalog of one layout, and a maker that can be held. */
class Stage {
  now = 1_000_000;
  kept: FileLayout | null = null;
  uses = 0;
  made = 0;
  held: PromiseWithResolvers<void> | null = null;
  failure: Error | null = null;
  readonly files: CachedFiles;

  constructor({ waitMs = 60_000 } = {}) {
    this.files = new CachedFiles({
      now: () => this.now,
      waitMs,
      catalog: {
        fileLayout: async () => this.kept,
        useFileLayout: async (_tenant, _name, _version, etag) => {
          this.uses += 1;
          return this.kept?.etag === etag;
        },
        endFileLayout: async () => {
          this.kept = null;
        },
        pinForJob: async () => {},
        unpinForJob: async () => {},
      },
      maker: {
        make: async () => {
          this.made += 1;
          await this.held?.promise;
          if (this.failure !== null) throw this.failure;
          this.kept = layoutOf(`e${this.made}`);
          return this.kept;
        },
      },
    });
  }

  async etag(version = 1, incarnation = 0): Promise<string> {
    const file = await this.files.find(recordOf(version, incarnation), new AbortController().signal);
    return file.layout.etag;
  }
}

describe('the layouts of files', () => {
  test('are made once for all who ask, and then known', async () => {
    const stage = new Stage();
    assert.deepEqual(await Promise.all([stage.etag(), stage.etag(), stage.etag()]), ['e1', 'e1', 'e1']);
    assert.equal(await stage.etag(), 'e1');
    assert.equal(stage.made, 1);
    assert.equal(stage.uses, 0, 'the catalog heard of it when it was recorded');
  });

  test('of a tenant with many that wait delay those of another by one', async () => {
    const stage = new Stage();
    stage.held = Promise.withResolvers();
    const order: string[] = [];
    const find = async (tenant: string, version: number) => {
      const record = { ...recordOf(version), tenant, versionId: `${tenant}-${version}` };
      await stage.files.find(record, new AbortController().signal);
      order.push(tenant);
    };
    const all = Array.from({ length: 40 }, (_, index) => find('flood', index));
    all.push(find('acme', 1));
    await eventually('two are being made', () => stage.made === 2);
    stage.held.resolve();
    await Promise.all(all);
    // Two run, one or two are the flood's own turns.
    assert.ok(order.indexOf('acme') <= 4, order.slice(0, 10).join(' '));
    assert.equal(order.length, 41);
  });

  test('are kept alive once a minute, and read anew if they are not in force', async () => {
    const stage = new Stage();
    await stage.etag();
    for (let minute = 1; minute <= 3; minute++) {
      stage.now += 60_000;
      for (let count = 0; count < 5; count++) await stage.etag();
      assert.equal(stage.uses, minute);
    }
    stage.kept = layoutOf('of another node');
    stage.now += 60_000;
    assert.equal(await stage.etag(), 'of another node');
    assert.equal(stage.made, 1);
    assert.equal(await stage.etag(1, 1), 'of another node', 'another incarnation is looked up');
  });

  test('a caller waits for a limited time, and the work goes on', async () => {
    const stage = new Stage({ waitMs: 50 });
    stage.held = Promise.withResolvers();
    await assert.rejects(stage.etag(), (error) => {
      assert.ok(error instanceof FrameholdError);
      assert.equal(error.kind, 'file_not_ready');
      assert.match(error.hint ?? '', /Repeat/);
      return true;
    });
    stage.held.resolve();
    assert.equal(await stage.etag(), 'e1');
    assert.equal(stage.made, 1);
  });

  test('a failure is not kept, and an ended layout is made anew', async () => {
    const stage = new Stage();
    stage.failure = new FrameholdError('not_representable', 'unions');
    await assert.rejects(stage.etag(), /unions/);
    stage.failure = null;
    assert.equal(await stage.etag(), 'e2');
    const file = await stage.files.find(recordOf(1), new AbortController().signal);
    await stage.files.end(recordOf(1), file.layout);
    assert.equal(await stage.etag(), 'e3');
  });

  test('one that ends while its use is recorded is not used again', async () => {
    const stage = new Stage();
    assert.equal(await stage.etag(), 'e1');
    stage.now += 61_000;
    const finding = stage.etag();
    await stage.files.end(recordOf(1), layoutOf('e1'));
    assert.equal(await finding, 'e1');
    assert.equal(await stage.etag(), 'e2');
  });

  test('one that is larger than the memory for all of them is cached by itself', async () => {
    const stage = new Stage();
    const small = layoutOf('e');
    stage.kept = {
      ...small,
      objects: Array.from({ length: 250_000 }, () => small.objects[0]) as FileObject[],
    };
    await stage.etag(1);
    await stage.etag(1);
    assert.equal(stage.uses, 1);
    stage.kept = small;
    await stage.etag(2);
    await stage.etag(2);
    assert.equal(stage.uses, 2);
    await stage.etag(1);
    assert.equal(stage.uses, 3);
  });

  test('two are made at a time, more wait, and very many are refused', async () => {
    const stage = new Stage({ waitMs: 50 });
    stage.held = Promise.withResolvers();
    const all = Array.from({ length: 80 }, (_, index) =>
      stage.etag(index + 1).catch((error: FrameholdError) => error.kind),
    );
    const answers = await Promise.all(all);
    assert.equal(stage.made, 2);
    assert.equal(answers.filter((kind) => kind === 'overloaded').length, 80 - 2 - 64);
    assert.equal(answers.filter((kind) => kind === 'file_not_ready').length, 66);
    const closed = stage.files.close();
    stage.held.resolve();
    await closed;
    assert.equal(stage.made, 2, 'those that wait never begin');
  });
});
