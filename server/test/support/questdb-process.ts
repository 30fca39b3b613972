import { join } from 'node:path';
import { Child } from './child-process.ts';
import { eventually } from './patience.ts';
import { partsFolder } from './repository.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

export interface Questdb {
  readonly url: string;
  stop(): Promise<void>;
}

/** One that this process started. */
export interface OwnQuestdb extends Questdb {
  readonly pid: number;
}

const jar = join(partsFolder, 'questdb', 'questdb-9.3.4.jar');

/** The real external database, on a port of its own. */
export async function startQuestdb(env: Readonly<Record<string, string>> = {}): Promise<OwnQuestdb> {
  const folder = temporaryFolder('questdb');
  const child = new Child({
    command: 'java',
    args: [
      '-Xms64m',
      '-Xmx512m',
      '-XX:+UseSerialGC',
      '-p',
      jar,
      '-m',
      'io.questdb/io.questdb.ServerMain',
    ].concat(['-d', folder, '-n']),
    env: {
      QDB_HTTP_NET_BIND_TO: '127.0.0.1:0',
      QDB_HTTP_MIN_ENABLED: 'false',
      QDB_PG_ENABLED: 'false',
      QDB_LINE_TCP_ENABLED: 'false',
      QDB_TELEMETRY_ENABLED: 'false',
      QDB_METRICS_ENABLED: 'false',
      // With one worker a long query blocks even /ping.
      QDB_SHARED_WORKER_COUNT: '2',
      ...env,
    },
  });
  const match = await child.line(/http-server listening on 127\.0\.0\.1:(\d+)/);
  const url = `http://127.0.0.1:${match[1]}`;
  await child.until('answer to /ping', async () => {
    const answer = await fetch(`${url}/ping`).catch(() => null);
    return answer?.status === 204 ? true : null;
  });
  return {
    url,
    pid: child.pid,
    async stop() {
      await child.stop();
      removeFolder(folder);
    },
  };
}

/** The database of the whole test run, or one of our own if this file runs alone. */
export async function useQuestdb(): Promise<Questdb> {
  const url = process.env.TEST_QUESTDB_URL;
  if (url) return { url, stop: async () => {} };
  return await startQuestdb();
}

/** Runs a statement, and fails if the database does. */
export async function questdbExec(url: string, sql: string): Promise<unknown> {
  const answer = await fetch(`${url}/exec?query=${encodeURIComponent(sql)}`);
  const body = await answer.text();
  if (!answer.ok) throw new Error(`QuestDB: ${answer.status} ${body}`);
  return JSON.parse(body);
}

/** Its tables are written in the background: waits until the rows can be read. */
export async function questdbRows(url: string, table: string, rows: number): Promise<void> {
  await eventually(`${rows} rows of ${table}`, async () => {
    const answer = (await questdbExec(url, `select count() from ${table}`)) as { dataset: [[number]] };
    return answer.dataset[0][0] === rows;
  });
}
