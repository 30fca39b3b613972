import type { SeededRandom } from '../wire-random.ts';

/** Whole statements, and parts that belong somewhere in one. Those for the session are more: they need no engine, so a run has more of them. */
const statements = [
  ...['begin', 'commit', 'rollback', 'end and chain', 'abort work', 'start transaction read write'],
  ...[
    'begin isolation level serializable, read only, deferrable',
    'set transaction isolation level repeatable read',
  ],
  ...['savepoint a', 'savepoint "é"', 'release savepoint a', 'rollback to savepoint a', 'release b'],
  ...["set timezone = 'Europe/Berlin'", 'set time zone -3.5', 'set time zone local', "set names 'utf8'"],
  ...['set statement_timeout = 100', "set statement_timeout = '1min'", 'set local search_path to a, "b", c'],
  ...['show all', 'show time zone', 'show transaction isolation level', 'show "TimeZone"', 'show tables'],
  ...[
    'reset all',
    'reset timezone',
    'discard all',
    'discard plans',
    'deallocate all',
    'deallocate prepare p',
  ],
  ...[
    'prepare p as select 1',
    'prepare p (int, text) as select $1, $2',
    "execute p(1, 'a', (2, 3), [4])",
    'execute p',
  ],
  ...[
    'declare c cursor for select 1',
    'declare c binary insensitive no scroll cursor with hold for select * from seed',
  ],
  ...[
    'fetch c',
    'fetch all from c',
    'fetch forward 3 in c',
    'fetch -1 from c',
    'move 1 c',
    'move all in c',
    'close all',
  ],
  ...[
    'copy seed to stdout',
    'copy seed (a, b) to stdout csv header',
    'copy binary seed to stdout',
    'copy seed from stdin',
  ],
  ...[
    "copy (select 1) to stdout (format text, delimiter '|', null '', encoding 'utf8')",
    "copy (values (1)) to program 'x'",
  ],
  ...[
    'listen a',
    'unlisten *',
    "notify a, 'b'",
    'select pg_cancel_backend(1)',
    'select pg_catalog.pg_terminate_backend(-1)',
  ],
  ...[
    '',
    ';',
    ';;;',
    '-- nothing',
    '/* /* nested */ */',
    "'",
    '"',
    '$$',
    '$a$ $a',
    "E'\\'",
    '/*',
    '(',
    '$1',
    '$99999',
    '\u{feff}',
  ],
  ...['select 1', 'select $1', 'select $1::int + $2', 'explain select 1', 'values (1), (null)', 'table seed'],
  ...[
    'select * from seed',
    'select * from wide',
    'select * from nope',
    'select a from seed where a < $1 order by b',
  ],
  ...[
    'with x as (select 1) select * from x',
    "select '\u{1f600}', E'\\n', $$x$$",
    "select interval '1 day', [1, null]",
  ],
  ...[
    'insert into seed values (1)',
    'drop table seed',
    'create table x as select 1',
    'vacuum',
    'lock table seed',
    'do $$x$$',
  ],
  ...[
    "select repeat('x', 100000)",
    'select * from range(5000)',
    "select 'x'::int",
    "select 1e400::double, 'nan'::float",
  ],
];
const separators = ['; ', ' ', ';', '\n', '/**/', ', ', ' -- x\n'];

/** A text of one statement or several, sound or not. */
export function randomText(random: SeededRandom): string {
  let text = random.pick(statements);
  for (let more = random.below(3); more > 0; more--)
    text += random.pick(separators) + random.pick(statements);
  if (random.percent(5)) text = random.pick(['(', '/*', '[', '$1,', ';', "'"]).repeat(random.size()) + text;
  if (!random.percent(40)) return text;
  // Only the changed bytes matter: what is no UTF-8 any more is refused before it is read.
  const changed = random.mutate(Buffer.from(text)).toString(random.percent(90) ? 'utf8' : 'latin1');
  return changed.replaceAll('\0', random.percent(50) ? '' : '\0');
}

/** A value of a parameter, in text or in bytes. */
export function randomValue(random: SeededRandom): Uint8Array | null {
  if (random.percent(10)) return null;
  if (random.percent(30)) return random.bytes(random.pick([0, 1, 2, 4, 8, 12, 16, 20, 64]));
  const text = random.pick(values);
  return random.percent(50) ? Buffer.from(text) : random.mutate(Buffer.from(text));
}

const values = [
  ...[
    '1',
    '-1',
    '0',
    '9223372036854775808',
    '1e1000',
    '-12345678901234567890.0123456789',
    'NaN',
    'Infinity',
    '.5',
    '1_000',
  ],
  ...[
    't',
    'false',
    'on',
    'a',
    '',
    'é',
    '\u{1f600}',
    '\\xdead',
    '\\x0',
    '\\000\\',
    'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  ],
  ...[
    '2024-02-29',
    '0044-03-15 BC',
    'infinity',
    '24:00:00',
    '12:30:00.123456+02',
    '2024-02-29 12:30:00 Europe/Berlin',
  ],
  ...['1 year 2 mons -3 days 04:05:06.7', 'P1Y2M3DT4H5M6.7S', '-178000000 years', '@ 1 day ago', '1.5 days'],
  ...['{}', '{1,2}', '{{1},{2}}', '{NULL,"a\\"b",""}', '[1:2]={1,2}', '{', '{"', '{1,}', '{{{{{{{1}}}}}}}'],
];

/** Types that are known, and some that are not. */
export const oids = [
  ...[
    0, 16, 17, 18, 20, 21, 23, 25, 114, 700, 701, 1042, 1043, 1082, 1083, 1114, 1184, 1186, 1266, 1700, 2950,
    3802,
  ],
  ...[
    1000, 1001, 1005, 1007, 1009, 1015, 1016, 1021, 1022, 1115, 1182, 1185, 1187, 1231, 2951, 705, 2205,
    99_999, 4_294_967_295,
  ],
];
