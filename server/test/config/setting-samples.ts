import { type SettingKey, settingOf } from '../../src/config/settings.ts';

export const context = { home: '/users/ada', directory: '/srv/start' };

/** Texts among which every kind of setting finds some that it allows. */
const pool = [
  ...[
    '3',
    '4',
    '5',
    '6',
    '3000',
    '4000',
    '5000',
    '6000',
    '2MiB',
    '3MiB',
    '4MiB',
    '5MiB',
    '65MiB',
    '66MiB',
    '67MiB',
    '68MiB',
    '301MiB',
    '302MiB',
    '303MiB',
    '304MiB',
  ],
  ...[
    'private',
    'group',
    'optional',
    'required',
    'true',
    'false',
    'zstd',
    'snappy',
    'gzip',
    'lz4',
    'json',
    'text',
    'trace',
    'debug',
    'warn',
    'error',
  ],
  ...['postgres://a/x', 'postgres://b/x', 'postgres://c/x', 'postgres://d/x'],
  ...['sc://a', 'sc://b', 'sc://c', 'sc://d', 't=sc://a', 't=sc://b', 't=sc://c', 't=sc://d'],
  ...['s3://aaa', 's3://bbb', 's3://ccc/x', 's3://ddd/x', 'AES256', 'aws:kms'],
  ...['http://a', 'http://b', 'http://c', 'http://d', 'grpc://a', 'grpc://b', 'grpc://c', 'grpc://d'],
  ...[
    'https://a',
    'https://b',
    'https://c',
    'https://d',
    'a:1',
    'b:2',
    'c:3',
    'd:4',
    '127.0.0.1',
    '127.0.0.2',
    '127.0.0.3',
    '127.0.0.4',
    '/a',
    '/b',
    '/c',
    '/d',
  ],
];

/** Four allowed texts, neighbours always different; a setting with only two values repeats them. */
export function samplesFor(key: SettingKey): readonly [string, string, string, string] {
  const { kind } = settingOf(key);
  const fits = pool.filter((text) => kind.parse(text, context) !== undefined);
  const [a, b, c = a, d = b] = fits;
  if (a === undefined || b === undefined || c === undefined || d === undefined)
    throw new Error(`${key}: add texts that fit to the pool`);
  return [a, b, c, d];
}
