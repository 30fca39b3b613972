import { send } from '../../support/frame-client.ts';
import { Framehold } from '../../support/framehold-process.ts';
import { newToken } from '../../support/framehold-tokens.ts';
import { makePgwireCase } from './pgwire/pgwire-cases.ts';
import { type Recorded, recordExchanges } from './pgwire/pgwire-corpus.ts';
import { exchangePgwire } from './pgwire/pgwire-exchange.ts';
import { collectingGarbage, PingWatch } from './ping-watch.ts';
import { SeededRandom } from './wire-random.ts';
import { type FuzzOptions, type FuzzReport, type GoodCaller, type Outcome, runCases } from './wire-run.ts';

const tenant = 'default';
const warmUps = 48;

/** Exchanges of PostgreSQL's protocol with something changed, against a real server that asks for a password. */
export async function fuzzPgwire(options: FuzzOptions): Promise<FuzzReport> {
  const server = await Framehold.start({
    flags: ['--postgres-bind-address', '127.0.0.1:0', '--postgres-allow-plaintext'],
    // What was changed so that the server waits for more of it waits for this long.
    env: { FRAMEHOLD_LOG_LEVEL: 'warn', FRAMEHOLD_POSTGRES_LOGIN_TIMEOUT_MS: '2000' },
    imports: [collectingGarbage],
  });
  try {
    const token = newToken(server.dataDirectory, tenant, 'admin', '1d');
    const headers = { authorization: `Bearer ${token}` };
    const port = Number(server.postgresUrl.port);
    const corpus = await makeCorpus(server, port, token, headers);
    const run = (index: number): Promise<Outcome> =>
      exchangePgwire(port, makePgwireCase(new SeededRandom(options.seed, index), corpus));
    // The first exchanges load and compile what all of them need: that stays.
    await Promise.all(Array.from({ length: warmUps }, (_, index) => run(index)));
    const ping = await PingWatch.start(server);
    const report = await runCases(server, options, run, { paths: ['/ping'], headers });
    const pings = await ping.end();
    return { ...report, ping: pings, faults: [...report.faults, ...pings.faults] };
  } finally {
    await server.remove();
  }
}

const frames = [
  'create table seed as select i as a, i::varchar as b from range(50) t(i)',
  "create table wide as select 1::tinyint as a, [1, null] as l, {'x': 1} as s union all select null, null, null",
];

async function makeCorpus(
  server: Framehold,
  port: number,
  token: string,
  headers: GoodCaller['headers'],
): Promise<readonly Recorded[]> {
  for (const sql of frames)
    await send(server.url, '/v1/sql', sql, { method: 'POST', type: 'application/sql', headers, status: 201 });
  return await recordExchanges(port, token);
}
