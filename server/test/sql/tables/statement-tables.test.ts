import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Frames } from '../../../src/frames/frames.ts';
import { openCaller } from '../../../src/model/caller.ts';
import { type ErrorKind, FrameholdError } from '../../../src/model/errors.ts';
import type { VersionRecord } from '../../../src/model/version.ts';
import type { StatementShape } from '../../../src/ports/engine.ts';
import { openTables, type StatementTablesDependencies } from '../../../src/sql/tables/statement-tables.ts';
import type { TranscodedVersions } from '../../../src/sql/tables/transcoded-versions.ts';

const never = new AbortController().signal;
const mebibyte = 1024 * 1024;

/** Frames that answer a turn later and count; every name is there but those that begin with `no`. */
class CountingFrames {
  message = new Uint8Array(8);
  asked = 0;
  namesAsked = 0;
  atOnce = 0;
  atOnceMax = 0;
  held = 0;

  parts(): StatementTablesDependencies {
    // Only what is here may be asked: whole lists for a hint would be another method.
    const frames = {
      resolve: (_: unknown, { name }: { name: string }) => this.#resolve(name),
      names: async () => {
        this.namesAsked++;
        return ['nose'];
      },
    };
    const open: TranscodedVersions['open'] = async () => {
      this.held++;
      const release = () => {
        this.held--;
      };
      return { files: [], objects: [], release };
    };
    const absent = async () => {
      throw new FrameholdError('tsdb_not_configured', 'none');
    };
    return {
      frames: frames as unknown as Frames,
      versions: { open } as unknown as TranscodedVersions,
      upstream: { fetch: absent, describe: absent },
    };
  }

  async #resolve(name: string): Promise<VersionRecord> {
    this.asked++;
    this.atOnceMax = Math.max(this.atOnceMax, ++this.atOnce);
    await turn();
    this.atOnce--;
    if (name.startsWith('no_later')) await turn();
    if (name.startsWith('no')) throw new FrameholdError('frame_not_found', name);
    const schema = { hash: name, message: this.message, columns: [] };
    return { tenant: 'main', name, version: 1, schema } as unknown as VersionRecord;
  }
}

function openNamed(
  frames: CountingFrames,
  names: readonly string[],
  upstreamQueries: readonly string[] = [],
) {
  const shape = { kind: 'query', tables: names, upstreamQueries, target: null } as unknown as StatementShape;
  return openTables(frames.parts(), openCaller, shape, true, never);
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

function isKind(kind: ErrorKind) {
  return (error: unknown) => error instanceof FrameholdError && error.kind === kind;
}

describe('the tables of a statement', () => {
  test('are opened some at a time, and stay in their order', async () => {
    const frames = new CountingFrames();
    const names = numbered('t', 1_000);
    const { tables, records, release } = await openNamed(frames, names);
    assert.deepEqual(
      tables.map(({ name }) => name),
      names,
    );
    assert.equal(records.length, names.length);
    assert.ok(frames.atOnceMax <= 8, `${frames.atOnceMax} at once`);
    assert.equal(frames.held, 1_000);
    await release();
    assert.equal(frames.held, 0);
  });

  test('are a thousand at most, refused before one is looked up', async () => {
    const frames = new CountingFrames();
    await assert.rejects(openNamed(frames, numbered('t', 1_001)), isKind('sql_invalid'));
    await assert.rejects(openNamed(frames, numbered('t', 999), ['a', 'b']), isKind('sql_invalid'));
    assert.equal(frames.asked, 0);
  });

  test('the first that is not there ends the search, and what was opened is let go', async () => {
    const frames = new CountingFrames();
    await assert.rejects(
      openNamed(frames, [...numbered('t', 20), ...numbered('nos', 900)]),
      (error) =>
        isKind('frame_not_found')(error) && (error as FrameholdError).hint?.includes('"nose"') === true,
    );
    assert.ok(frames.asked < 40, `${frames.asked} looked up`);
    assert.ok(frames.namesAsked <= 16, `${frames.namesAsked} lists of names`);
    assert.equal(frames.held, 0);
  });

  test('the first of several that are not there is named, whichever look-up is faster', async () => {
    const frames = new CountingFrames();
    await assert.rejects(openNamed(frames, ['t', 'no_later', 'no_sooner']), /no_later/);
    assert.equal(frames.held, 0);
  });

  test('have schemas of 64 MiB at most together', async () => {
    const frames = new CountingFrames();
    frames.message = new Uint8Array(15 * mebibyte);
    const { release } = await openNamed(frames, numbered('t', 4));
    await release();
    await assert.rejects(openNamed(frames, numbered('t', 100)), isKind('sql_memory'));
    assert.ok(frames.asked < 4 + 16, `${frames.asked} looked up`);
    assert.equal(frames.held, 0);
  });
});
