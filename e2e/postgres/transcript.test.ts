/** The order of messages where drivers depend on it: the same bytes are sent to a real PostgreSQL and to this server, and the answers compared. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  bind,
  describe,
  execute,
  flush,
  frame,
  packet,
  parse,
  query,
  RawClient,
  startup,
  sync,
} from '../../server/test/pgwire/raw-client.ts';
import { type Address, type Side, startFramehold, startPostgres } from './sides.ts';

/** Four rows. */
const four = 'select id from trades where id <= 4 order by id';
const prepared = (text = four, portal = '') => [parse(text), bind(portal)];

/** What is sent at once, and how many times the server is ready afterwards. */
const exchanges: Readonly<Record<string, readonly [ready: number, ...sent: readonly Uint8Array[]]>> = {
  'two rows three times': [1, ...prepared(), execute('', 2), execute('', 2), execute('', 2), sync],
  'as many rows as there are': [1, ...prepared(), execute('', 4), execute('', 4), sync],
  'three and the rest': [1, ...prepared(), execute('', 3), execute('', 3), sync],
  'a portal ends with Sync outside of a transaction': [
    2,
    ...[...prepared(four, 'p'), execute('p', 2), sync, execute('p', 2), sync],
  ],
  'a portal goes on in a transaction': [
    4,
    ...[query('begin'), ...prepared(four, 'p'), execute('p', 2), sync, execute('p', 2), sync],
    query('rollback'),
  ],
  'a cursor is a portal': [
    4,
    ...[query('begin'), query(`declare c cursor for ${four}`), describe('P', 'c'), execute('c', 2), sync],
    query('rollback'),
  ],
  'described between two parts': [1, ...prepared(), execute('', 1), describe('P'), execute('', 0), sync],
  'skipped up to Sync': [
    3,
    ...[query('begin'), parse('select 1; select 2'), bind(), execute(), parse(four), bind(), execute()],
    ...[sync, query('rollback')],
  ],
  'a Query is skipped as well': [1, parse('select 1; select 2'), query('select 1'), sync],
  'a failed transaction': [
    4,
    ...['begin', 'select nope from trades', 'select 1', 'commit'].map((text) => query(text)),
  ],
  'the second of three fails': [1, query('select 1; select nope; select 2')],
  'begin, a failure and commit in one message': [2, query('begin; select nope; commit'), query('rollback')],
  'begin and commit twice': [4, ...['begin', 'begin', 'commit', 'commit'].map((text) => query(text))],
  'begin by Parse': [2, ...prepared('begin'), execute(), sync, query('rollback')],
  'nothing to do': [3, query(''), query(';'), parse(''), bind(), describe('P'), execute(), sync],
  'two statements in one Parse': [1, parse('select 1; select 2'), sync],
  'an unknown portal and an unknown statement': [2, execute('absent'), sync, bind('', 'absent'), sync],
  'a name twice': [1, parse(four, 'a'), parse(four, 'a'), sync],
  'COPY by Parse': [1, ...prepared(`copy (${four}) to stdout`), describe('P'), execute(), sync],
  'data that nobody asked for': [
    1,
    frame('d', Buffer.from('x')),
    frame('c'),
    frame('f', 'why'),
    query('select 1'),
  ],
  'a statement described before it is bound': [
    1,
    parse('select id from trades where id = $1', 'by'),
    describe('S', 'by'),
    sync,
  ],
  'a portal that is closed': [
    1,
    ...prepared(four, 'p'),
    frame('C', Buffer.from('P'), 'p'),
    execute('p'),
    sync,
  ],
  'flush and sync in a pipeline': [
    2,
    ...prepared(),
    execute('', 1),
    flush,
    sync,
    ...prepared(),
    execute(),
    sync,
  ],
  'an unknown cursor and savepoint': [
    4,
    ...['begin', 'fetch 1 from absent', 'rollback to absent', 'rollback'].map((text) => query(text)),
  ],
  savepoints: [
    6,
    ...['begin', 'savepoint a', 'select nope', 'rollback to a', 'release a', 'commit'].map((text) =>
      query(text),
    ),
  ],
};

const sides: Side[] = [];
before(async () => {
  sides.push(await startPostgres(), await startFramehold());
});
after(async () => {
  for (const side of sides) await side[Symbol.asyncDispose]();
});

async function logIn({ port, user, password }: Address, version?: number): Promise<[RawClient, string]> {
  const client = new RawClient(port);
  client.send(startup(version, { user, database: 'framehold' }), frame('p', password));
  // How many settings a server reports is its own business.
  return [client, (await client.answers()).replaceAll(/( S)+/g, ' S')];
}

async function answersOf(side: Side, ready: number, sent: readonly Uint8Array[]): Promise<string> {
  const [client] = await logIn(side.address);
  using _ = client;
  client.send(...sent);
  return await client.answers(ready);
}

for (const [name, [ready, ...sent]] of Object.entries(exchanges))
  test(name, async () => {
    const [postgres, framehold] = await Promise.all(sides.map((side) => answersOf(side, ready, sent)));
    assert.equal(framehold, postgres);
  });

test('log-ins of 3.0 have the same messages, and requests for encryption the same byte', async () => {
  const seen = await Promise.all(
    sides.map(async ({ address }) => {
      using plain = new RawClient(address.port);
      plain.send(packet(80_877_103));
      const encryption = await plain.byte();
      const [client, messages] = await logIn(address);
      client[Symbol.dispose]();
      return [encryption, messages];
    }),
  );
  assert.deepEqual(seen[1], seen[0]);
});

test('a mistake that only the engine finds is reported with Describe or Execute, in PostgreSQL with Parse: one run of the engine less', async () => {
  const sent = [parse('select nope from trades'), bind(), execute(), query('select 1'), sync];
  const answers = await Promise.all(sides.map((side) => answersOf(side, 1, sent)));
  assert.deepEqual(answers, ['E:42703 ZI', '1 2 E:42703 ZI']);
});
