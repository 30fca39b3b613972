import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bindAddress, bindHost } from '../../src/config/address.ts';
import {
  baseUrl,
  boolean,
  byteSize,
  choice,
  decimal,
  durationMs,
  integer,
  type Kind,
  logLevel,
  path,
  text,
  token,
} from '../../src/config/kind.ts';

interface Case {
  readonly name: string;
  readonly kind: Kind<unknown>;
  /** What is written, and what it means. */
  readonly accepts: readonly (readonly [unknown, unknown])[];
  readonly refuses: readonly unknown[];
}

const context = { home: '/users/ada', directory: '/srv/start' };
const httpUrl = baseUrl({ schemes: ['http', 'https'], credentials: true });

const cases: readonly Case[] = [
  {
    name: 'a whole number within its range',
    kind: integer(0, 65_535),
    accepts: [
      ['0', 0],
      ['65535', 65_535],
      [50_052, 50_052],
      ['007', 7],
    ],
    refuses: ['65536', -1, '-1', '1.5', 1.5, '', ' 1', '1e3', '0x10', true, null, [], '99999999999999999999'],
  },
  {
    name: 'a decimal number',
    kind: decimal(0),
    accepts: [
      ['2.0', 2],
      [0, 0],
      [0.5, 0.5],
      ['10', 10],
    ],
    refuses: ['-1', -0.1, '1e3', '', '.5', 'two', Number.NaN, Number.POSITIVE_INFINITY, true],
  },
  {
    name: 'a switch',
    kind: boolean(),
    accepts: [
      ['true', true],
      ['1', true],
      [true, true],
      ['false', false],
      ['0', false],
      [false, false],
    ],
    refuses: ['yes', 'TRUE', '', 1, 0, null],
  },
  {
    name: 'a choice',
    kind: choice('json', 'text'),
    accepts: [['json', 'json']],
    refuses: ['JSON', 'xml', '', 1],
  },
  {
    name: 'a log level',
    kind: logLevel(),
    accepts: [
      ['info', 'info'],
      ['INFO', 'info'],
      ['Warn', 'warn'],
      ['trace', 'trace'],
      ['off', 'silent'],
      ['OFF', 'silent'],
      ['silent', 'silent'],
    ],
    refuses: ['verbose', '', 3],
  },
  {
    name: 'a byte size',
    kind: byteSize(0, 1024 ** 4),
    accepts: [
      ['0', 0],
      ['65536', 65_536],
      [65_536, 65_536],
      ['64MiB', 67_108_864],
      ['64 MiB', 67_108_864],
      ['64mib', 67_108_864],
      ['2GB', 2_000_000_000],
      ['2kB', 2_000],
      ['1TiB', 1_099_511_627_776],
      ['12B', 12],
    ],
    refuses: [
      '2TiB',
      '1.5GiB',
      '64M',
      'MiB',
      '',
      '-1',
      '1 GiB x',
      -1,
      1.5,
      '9007199254740993',
      '99999999TiB',
    ],
  },
  {
    name: 'a duration',
    kind: durationMs(1),
    accepts: [
      ['60000', 60_000],
      [250, 250],
      ['250ms', 250],
      ['10s', 10_000],
      ['2m', 120_000],
      ['1h', 3_600_000],
    ],
    // Above 2³¹ - 1 a timer of Node fires at once.
    refuses: ['0', 0, '2147483648', '25d', '1.5s', '', '-1'],
  },
  {
    name: 'a path',
    kind: path(),
    accepts: [
      ['/data', '/data'],
      ['~/data', '/users/ada/data'],
      ['~', '/users/ada'],
      ['data', '/srv/start/data'],
      ['../x/', '/srv/x'],
      ['/data/~x', '/data/~x'],
    ],
    refuses: ['', '~bob/data', 'a\0b', 1],
  },
  {
    name: 'a text',
    kind: text(4_096),
    accepts: [
      ['x', 'x'],
      [' grüße: %41@/ ', ' grüße: %41@/ '],
      ['x'.repeat(4_096), 'x'.repeat(4_096)],
    ],
    refuses: ['', 'a\nb', 'a\rb', 'a\0b', 'a\u007fb', 'x'.repeat(4_097), 7, ['x']],
  },
  {
    name: 'a token',
    kind: token(4_096),
    accepts: [['qt1_aZ09-._~+/=', 'qt1_aZ09-._~+/=']],
    refuses: ['', 'a b', 'a\r\nb', 'grüße', 'x'.repeat(4_097), 7],
  },
  {
    name: 'a base URL',
    kind: httpUrl,
    accepts: [
      ['http://db:9000', 'http://db:9000'],
      ['http://db:9000/', 'http://db:9000'],
      ['https://db/base/path/', 'https://db/base/path'],
      ['http://[::1]:9000', 'http://[::1]:9000'],
      ['http://ada:secret@db', 'http://ada:secret@db'],
    ],
    refuses: [
      'db:9000',
      'ftp://db',
      'http://',
      'http://db?x=1',
      'http://db#x',
      'http://d b',
      '',
      9000,
      'http:db',
      'http://db:99999',
    ],
  },
  {
    name: 'a URL that may not carry credentials',
    kind: baseUrl({ schemes: ['grpc', 'grpc+tls'], credentials: false }),
    accepts: [
      ['grpc://host:50052', 'grpc://host:50052'],
      ['grpc+tls://host:443/', 'grpc+tls://host:443'],
    ],
    refuses: ['http://host', 'grpc://ada:secret@host', 'grpc://'],
  },
  {
    name: 'an address to bind',
    kind: bindAddress(),
    accepts: [
      ['0.0.0.0:9000', { host: '0.0.0.0', port: 9000 }],
      ['localhost:0', { host: 'localhost', port: 0 }],
      ['[::]:9000', { host: '::', port: 9000 }],
      ['[::1]:65535', { host: '::1', port: 65_535 }],
      ['unix:/run/framehold.sock', { path: '/run/framehold.sock' }],
    ],
    refuses: [
      ...['9000', ':9000', '0.0.0.0', '0.0.0.0:', '0.0.0.0:65536', '::1:9000', '[1.2.3.4]:1', '999.1.1.1:1'],
      ...['http://h:1', 'a b:1', 'unix:relative', 'unix:', `unix:/${'x'.repeat(107)}`, 9000, ''],
    ],
  },
  {
    name: 'a host to bind',
    kind: bindHost(),
    accepts: [
      ['0.0.0.0', '0.0.0.0'],
      ['[::]', '::'],
      ['::1', '::1'],
      ['db-1.example', 'db-1.example'],
      ['unix:/run/flight.sock', 'unix:/run/flight.sock'],
    ],
    refuses: ['', 'a:1', '0.0.0.0:1', '1.2.3', 'unix:x', '-x', 7],
  },
];

for (const { name, kind, accepts, refuses } of cases) {
  for (const [raw, value] of accepts) {
    test(`${name}: ${JSON.stringify(raw)} means ${JSON.stringify(value)}`, () => {
      assert.deepEqual(kind.parse(raw, context), value);
    });
    test(`${name}: ${JSON.stringify(raw)} is written back as something that means the same`, () => {
      assert.deepEqual(kind.parse(kind.format(kind.parse(raw, context)), context), value);
    });
  }
  for (const raw of refuses) {
    test(`${name}: ${JSON.stringify(raw)} is refused`, () => {
      assert.equal(kind.parse(raw, context), undefined);
    });
  }
}

test('a path in the home directory is refused if there is no home directory', () => {
  assert.equal(path().parse('~/data', { home: undefined, directory: '/' }), undefined);
});
