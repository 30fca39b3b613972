import assert from 'node:assert/strict';
import {
  bind,
  describe,
  execute,
  flush,
  frame,
  int32,
  packet,
  parse,
  query,
  RawClient,
  startup,
  sync,
} from '../../../pgwire/raw-client.ts';
import { bindValues, cancelPacket, parseTyped } from './pgwire-messages.ts';

/** What a client has sent on one connection, as the server has understood it. */
export interface Recorded {
  readonly name: string;
  /** Without a letter: encryption asked for, the startup, a cancel request. */
  readonly first: readonly Buffer[];
  /** From the password on. */
  readonly messages: readonly Buffer[];
}

/** What is said on a connection that has logged in: messages, how many ReadyForQuery answer them, and what comes. */
type Step = readonly [messages: readonly Buffer[], ready: number, answers: RegExp];

const ssl = packet(80_877_103);
const gss = packet(80_877_104);
/** A statement that a change makes long ends by itself. What is recorded has time on a busy machine. */
const changedMs = 2_000;
const recordedMs = 60_000;

const one = (text: string, answers: RegExp): Step => [[query(text)], 1, answers];
const int4 = (value: number): Buffer => int32(value);
const float8 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
};

const sessions: Readonly<Record<string, readonly Step[]>> = {
  simple: [
    one('show timezone; select 1 as a, null as b', /^T D:UTC C:SHOW T D:1\|null C:SELECT 1 ZI$/),
    one('', /^I ZI$/),
    one('select nope', /^E:42703 ZI$/),
  ],
  rows: [one('select * from seed', /^T (D:\S* )+C:SELECT 50 ZI$/)],
  settings: [
    one("set application_name to 'a'; set timezone = 'Europe/Berlin'", /^S C:SET S C:SET ZI$/),
    one('show all', /^T (D:.* )+C:SHOW ZI$/),
    one("set local datestyle = 'ISO, DMY'; reset all; discard all", /C:DISCARD ALL ZI$/),
    one('set x.y = 1, 2; show x.y; set session characteristics as transaction read only', /C:SET ZI$/),
  ],
  transactions: [
    one('begin isolation level repeatable read', /^C:BEGIN ZT$/),
    one('savepoint a; select count(*) from seed; rollback to a; release a', /C:RELEASE ZT$/),
    one('select nope', /^E:42703 ZE$/),
    one('rollback and chain', /ZT$/),
    one('commit; start transaction read only; commit and no chain', /C:COMMIT ZI$/),
  ],
  cursors: [
    one('begin', /ZT$/),
    one('declare c no scroll cursor for select * from seed', /^C:DECLARE CURSOR ZT$/),
    one('fetch 3 from c; move 2 in c; fetch forward 1 from c', /C:FETCH 1 ZT$/),
    one('close c; declare "D" cursor with hold for select 1; commit', /C:COMMIT ZI$/),
    one('fetch all in "D"; close all', /C:CLOSE CURSOR ALL ZI$/),
  ],
  'copy-text': [one('copy seed to stdout', /^H (d )+c C:COPY 50 ZI$/)],
  'copy-csv': [
    one(
      `copy (select a, b from seed where a < 5) to stdout with (format csv, header, delimiter ';', null 'x', quote '''', force_quote *)`,
      /^H (d )+c C:COPY 5 ZI$/,
    ),
  ],
  'copy-binary': [
    one('copy (select 1::bigint, 1.5::double, now(), null::text) to stdout (format binary)', /C:COPY 1 ZI$/),
  ],
  prepared: [
    one('prepare p (int) as select $1::int + 1; execute p(41); deallocate p', /D:42 C:SELECT 1 C:DEALLOCATE/),
    one('prepare q as select a from seed where a < $1; execute q(2); deallocate all', /C:DEALLOCATE ALL ZI$/),
  ],
  extended: [
    [[parse('show timezone'), bind(), describe('P'), execute(), sync], 1, /^1 2 T D:UTC C:SHOW ZI$/],
    [[parse('select 1'), describe('S'), bind(), describe('P'), execute(), sync], 1, /^1 t T 2 T D:1 C:/],
    [[frame('C', Buffer.from('S'), ''), frame('C', Buffer.from('P'), ''), sync], 1, /^3 3 ZI$/],
  ],
  parameters: [
    [
      [
        parseTyped('select $1 + 1 as a, $2 as b, $3 as c, $4::varchar as d', 's', [23, 701, 1043, 0]),
        describe('S', 's'),
        bindValues({
          statement: 's',
          formats: [1, 1, 0, 0],
          values: [int4(41), float8(1.5), Buffer.from('é'), null],
          resultFormats: [1, 0, 0, 1],
        }),
        execute(),
        sync,
      ],
      1,
      /^1 t T 2 D:.* C:SELECT 1 ZI$/,
    ],
  ],
  values: [
    [
      [
        parseTyped('show timezone', 'n', []),
        parseTyped('select $1, $2, $3, $4, $5', 'v', [1700, 1186, 1007, 2950, 1184]),
        bindValues({
          statement: 'v',
          values: [
            Buffer.from('-12345678901234567890.0123456789'),
            Buffer.from('1 year 2 mons -3 days 04:05:06.789'),
            Buffer.from('{1,NULL,-3}'),
            Buffer.from('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'),
            Buffer.from('2024-02-29 12:30:00.123456+02'),
          ],
        }),
        execute(),
        sync,
      ],
      1,
      /^1 1 2 D:.* C:SELECT 1 ZI$/,
    ],
  ],
  limits: [
    [
      [parse('select * from seed', 'l'), bind('p', 'l'), execute('p', 7), flush, execute('p', 7), sync],
      1,
      /^1 2 (D:\S* ){7}s (D:\S* ){7}s ZI$/,
    ],
    [[query('begin'), bind('p', 'l'), execute('p', 49), sync, execute('p', 49), sync], 3, /C:SELECT 1 ZT$/],
  ],
  pipeline: [
    [
      [parse('select 1'), bind(), execute(), parse('select 2'), bind(), execute(), sync, sync],
      2,
      /^1 2 D:1 C:SELECT 1 1 2 D:2 C:SELECT 1 ZI ZI$/,
    ],
    [[parse('show nope'), bind(), execute(), parse('show timezone'), sync], 1, /^1 2 E:42704 ZI$/],
  ],
  refused: [
    one('update seed set a = 1', /^E:25006 ZI$/),
    one('copy seed from stdin', /^E:25006 ZI$/),
    one('lock table seed', /^E:0A000 ZI$/),
  ],
  signals: [one('select pg_cancel_backend(1); select pg_terminate_backend(2)', /C:SELECT 1 ZI$/)],
};

/** How a connection begins: before the startup, and as which version with which parameters. */
function beginnings(statementMs: number): Readonly<Record<string, readonly Buffer[]>> {
  const user = { user: 'framehold', options: `-c statement_timeout=${statementMs}` };
  return {
    plain: [startup(196_608, user)],
    newer: [startup(196_610, user)],
    newest: [startup((3 << 16) | 9_999, { ...user, '_pq_.foo': '1' })],
    ssl: [ssl, startup(196_608, { ...user, database: 'any', application_name: 'fuzz' })],
    both: [gss, ssl, startup(196_610, { ...user, client_encoding: "'utf-8'", datestyle: 'ISO, MDY' })],
  };
}

/** Plays every session once with every beginning, in turn, and keeps what was sent. Fails if the server answers otherwise. */
export async function recordExchanges(port: number, password: string): Promise<readonly Recorded[]> {
  const recorded: Recorded[] = [];
  const ways = Object.entries(beginnings(recordedMs));
  const changed = beginnings(changedMs);
  const play = async (name: string, steps: readonly Step[], number: number): Promise<void> => {
    const [way, first] = ways[number % ways.length] as [string, readonly Buffer[]];
    const messages = await record(port, password, `${name} (${way})`, { first, steps });
    recorded.push({ name: `${name} (${way})`, first: changed[way] ?? first, messages });
  };
  for (const [number, [name, steps]] of Object.entries(sessions).entries()) await play(name, steps, number);
  for (const number of ways.keys()) await play('log-in', [], number);
  recorded.push({ name: 'cancel', first: [cancelPacket(Buffer.alloc(8, 1))], messages: [] });
  return recorded;
}

async function record(
  port: number,
  password: string,
  name: string,
  { first, steps }: { readonly first: readonly Buffer[]; readonly steps: readonly Step[] },
): Promise<readonly Buffer[]> {
  using client = new RawClient(port);
  const messages = [frame('p', password)];
  for (const [index, each] of first.entries()) {
    client.send(each);
    if (index < first.length - 1) assert.equal(await client.byte(), 'N', name);
  }
  client.send(...messages);
  assert.match(await client.answers(), /^(v )?R R (S )+K ZI$/, name);
  for (const [sent, ready, wanted] of steps) {
    client.send(...sent);
    messages.push(...sent);
    assert.match(await client.answers(ready), wanted, name);
  }
  return messages;
}
