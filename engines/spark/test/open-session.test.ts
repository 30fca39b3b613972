import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FrameholdError } from '../../../server/src/model/errors.ts';
import type { ConnectClient } from '../src/connect/connect-client.ts';
import { openSession } from '../src/session/open-session.ts';

/** Stands for a Spark with an extension that keeps its own values: a real one does not. */
function stubbornClient(kept: ReadonlyMap<string, string | null>): {
  client: ConnectClient;
  released: () => number;
} {
  let released = 0;
  const session = {
    setConfig: async () => {},
    getConfig: async () => kept,
    release: async () => {
      released += 1;
      return true;
    },
  };
  return { client: { session: () => session } as unknown as ConnectClient, released: () => released };
}

test('a setting that reads back with another value, or none, ends the session before any statement', async () => {
  for (const kept of ['true', null]) {
    const { client, released } = stubbornClient(new Map([['spark.sql.runSQLOnFiles', kept]]));
    const wanted = new Map([['spark.sql.runSQLOnFiles', 'false']]);
    await assert.rejects(
      openSession(client, wanted, new AbortController().signal),
      (error: FrameholdError) => {
        assert.equal(error.kind, 'engine_failed');
        assert.match(String((error.cause as Error).message), /runSQLOnFiles/);
        return true;
      },
    );
    assert.equal(released(), 1);
  }
});
