/** A beginning, what is repeated until there is enough of it, and an end. */
export type WorstInput = readonly [start: string, repeated: string, end: string];

/**
 * What was found out about an expression: the inputs on which it takes longest, or why its input is short whatever a caller sends.
 */
export type Review = { readonly worst: readonly WorstInput[] } | { readonly short: string };

const worst = (...inputs: readonly WorstInput[]): Review => ({ worst: inputs });
const short = (reason: string): Review => ({ short: reason });

const operator = short('settings, flags, files and addresses from the person who starts the server');
const ours = short('a text that the server made itself');
const oneCharacter = short('one character at a time');
const fileName = short('the name of a frame or of a query: at most 150 characters');
const shortNumber = short('numbers of at most numberCharactersMax characters');
const shortInterval = short('an interval: at most 256 characters');
const shortTime = short('a date or time: at most 128 characters');
const objectKey = short('object keys: a tenant and an id, at most 150 characters');

/**
 * Every regular expression of the rooms that meet callers' input. One that is not here fails the test: find the input on which it takes longest, or the limit on its
 * input. Most expressions that are slow begin with something repeated and are not tied to a place: of `/@.*$/` and 250,000 at-signs,
 * each is a beginning, and `.*` runs to the end from all of them.
 */
export const reviewed: Readonly<Record<string, Readonly<Record<string, Review>>>> = {
  'auth/authorization-header.ts': {
    '/^([A-Za-z]+) +(\\S+) *$/': worst(['a ', 'x', ' y'], ['a', ' ', '\n'], ['', 'a', ''], ['a x', ' ', 'x']),
  },
  'auth/link-signer.ts': {
    '/^fhl_(?:([a-z0-9]{1,32})\\.)?([A-Za-z0-9_-]{1,600})\\.([A-Za-z0-9_-]{43})$/': worst(
      ['fhl_', 'a', ''],
      ['fhl_', 'a.', ''],
      ['fhl_a.', 'a', ''],
    ),
  },
  'auth/token.ts': {
    '/^fh_([a-z2-7]{12})_([A-Za-z0-9_-]{43})$/': worst(['fh_', 'a', ''], ['fh_aaaaaaaaaaaa_', 'a', '']),
    '/^[a-z2-7]{12}$/': worst(['', 'a', '']),
  },
  'catalog/listing-range.ts': { '/^[a-z0-9_.-]*$/': worst(['', 'a', '!']) },
  'catalog/postgres/queries/history.ts': {
    '/[!%_]/g': short('a text to search for: at most 200 characters'),
    '/[A-Z]/g': short('a text to search for: at most 200 characters'),
  },
  'catalog/sqlite/maintenance/parts.ts': { '/(name_id|log|seq) /g': ours },
  'catalog/sqlite/queries/history.ts': { '/[!%_]/g': short('a text to search for: at most 200 characters') },
  'engines/spark/src/connect/connect-url.ts': {
    '/^\\[|\\]$/g': operator,
    '/^[0-9a-z_.-]+$/': operator,
    '/^[ -~]+$/': operator,
  },
  'engine/duckdb/duckdb-errors.ts': {
    '/^([A-Za-z ]+?Error): ([\\s\\S]*)$/': worst(['', 'a', ''], ['', 'Error', ''], ['a Error: ', '\n', '']),
    '/\\n[ \\t]*LINE \\d+:/': worst(
      ['', '\n', ''],
      ['\n', ' ', ''],
      ['', '\n LINE 1', ''],
      ['\nLINE ', '1', ''],
    ),
  },
  'engine/duckdb/plan/duration-expressions.ts': {
    '/^\\s*-?(?:\\d+(?:\\.\\d+)?\\s*(?:hour|minute|second|millisecond|microsecond)s?|\\d+:\\d{2}:\\d{2}(?:\\.\\d+)?)\\s*$/i':
      worst(['', ' ', 'x'], ['', '1', 'x'], ['1.', '1', 'x'], ['1 hour', ' ', 'x'], ['1', ' ', 'x']),
  },
  'engine/duckdb/plan/explain-text.ts': { '/file|path|director/i': ours },
  'engine/duckdb/postgres/macros.ts': { '/\\w+\\([^)]*\\)/g': ours },
  'engine/duckdb/postgres/system-views.ts': { '/pg__\\w+\\(/': ours },
  'engine/duckdb/statement/parse-statement.ts': { '/^tsdb$/i': worst(['', 'tsdb', '']) },
  'engine/duckdb/statement/repeatable-functions.ts': { '/\\s+/': ours },
  'engine/duckdb/statement/written-places.ts': {
    '/[\\u00a0\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u2064\\u3000\\ufeff]/': worst(['', 'a', '']),
  },
  'engine/duckdb/parameters/parameters.ts': {
    '/^[0-9]+$/': worst(['', '0', 'a']),
    '/^\\$/': worst(['', '$', '']),
  },
  'engine/duckdb/statement/statement-prefix.ts': {
    "/^(?:'|\\$[^$]*\\$)/": worst(['$', 'a', '']),
  },
  'engine/duckdb/sql-tokens.ts': {
    '/[A-Za-z_]/': oneCharacter,
    '/[A-Za-z0-9_$]/': oneCharacter,
    '/[ \\t\\n\\r\\f\\v]/': oneCharacter,
    '/[\\n\\r]/g': worst(['', 'a', '']),
    '/[eE]/': oneCharacter,
    '/[xXbB]/': oneCharacter,
    '/^\\$(?:[A-Za-z_\\u0080-\\uffff][A-Za-z0-9_\\u0080-\\uffff]*)?\\$/': short('cut to 256 characters'),
    '/[A-Z]+/g': worst(['', 'A', ''], ['', 'a', '']),
  },
  'engine/duckdb/statement/statement-tree.ts': {
    '/[./\\\\:*?[\\]\'"]|^(duckdb|sqlite|pragma|pg)_/i': worst(['', 'p', ''], ['', 'duckdb', '']),
  },
  'engines/spark/src/allowlist/lists/allowed-functions.ts': { '/\\s+/': ours },
  'engines/spark/src/allowlist/lists/allowed-nodes.ts': { '/Context$/': ours },
  'engines/spark/src/allowlist/capped-arguments.ts': {
    '/\\d{4}/': worst(['', '123a', '']),
    '/[<(]/g': worst(['', '<', '']),
    "/^INTERVAL'?-?[1-9]\\d{0,3}'?(DAY|WEEK|MONTH|YEAR)S?$/i": worst(
      ['INTERVAL', '1', ''],
      ['', 'INTERVAL', ''],
    ),
    "/^'(\\d{4}-\\d{2}-\\d{2})'$/": worst(["'", '1', '']),
  },
  'engines/spark/src/allowlist/check-statement.ts': {
    '/^fh_(\\d{1,6})$/': worst(['fh_', '1', '']),
    '/^fh_c\\d{1,6}$/': worst(['fh_c', '1', '']),
  },
  'engines/spark/src/allowlist/parameter-values.ts': {
    '/[^A-Za-z0-9 ]/g': worst(['', 'a', "'"]),
    '/^[A-Z_0-9(), ]{1,40}$/': worst(['', 'A', '']),
    '/[A-Z_0-9]+|[(),]/g': short('the name of a type: at most 40 characters'),
  },
  'engines/spark/src/allowlist/constant-work.ts': { '/\\s+/': ours },
  'engines/spark/src/allowlist/lists/refused-functions.ts': { '/\\s+/': ours },
  'engines/spark/src/allowlist/tree-values.ts': {
    '/[A-Z]+/g': worst(['', 'A', ''], ['', 'Aa', '']),
    '/[LSY]$/i': worst(['', '1', ''], ['', 'L', '1']),
  },
  'engines/spark/src/allowlist/vocabulary.ts': { '/^[A-Z][A-Z_]+$/': ours },
  'engines/spark/src/allowlist/parse.ts': { '/^\\w+$/': worst(['', 'a', '!']) },
  'engines/spark/src/parameters/cast-type.ts': {
    '/^(?:decimal|dec|numeric)\\((\\d{1,2}),(\\d{1,2})\\)$/': worst(['decimal(1', '0', '!']),
  },
  'engines/spark/src/spark-errors.ts': {
    '/ SQLSTATE: [0-9A-Z]{5}/': worst(['', ' SQLSTATE: 1234', '']),
    '/^\\[[A-Z0-9_.]+\\] /': worst(['[', 'A', '']),
    '/ If necessary set "[\\w.]+" to "\\w+" to bypass this error\\.?/g': worst(
      ['', ' If necessary set "', ''],
      [' If necessary set "', 'a', ''],
    ),
    '/`?\\bfh_(\\d{1,6})\\b`?/g': worst(['', '`fh_1234567', '']),
    '/`?\\bfh_c\\d{1,6}\\b`?/g': worst(['', '`fh_c1234567', '']),
    '/\\b(?:s3a|s3|file|hdfs|abfss?|gs):\\/[^\\s,;\'"`)\\]]*/g': worst(['', 's3a:/', ''], ['', 's3a:', '']),
  },
  'engine/process-memory.ts': { '/^RssAnon:\\s+(\\d+) kB$/m': ours, '/^VmSwap:\\s+(\\d+) kB$/m': ours },
  'flight/listener.ts': { '/^\\[(.*)\\]$/': operator },
  'flight/sql/metadata/duckdb-words.ts': { '/\\s+/': ours },
  'flight/verbs/handshake.ts': {
    '/^(\\w+) +(\\S+) *$/': worst(['a ', 'x', ' y'], ['a', ' ', '\n'], ['', 'a', ''], ['a x', ' ', 'x']),
    '/^[\\x21-\\x7e]+$/': worst(['', 'a', ' ']),
  },
  'encode/cells/span-of-time-writers.ts': { '/0+$/': short('the fraction of a second: nine digits') },
  'encode/cells/strings.ts': {
    '/["\\\\\\u0000-\\u001f]/': worst(['', 'a', '']),
    '/[",\\r\\n\\ufeff]/': worst(['', 'a', '']),
  },
  'encode/postgres/fields/interval-fields.ts': { '/0+$/': short('the fraction of a second: six digits') },
  'encode/postgres/parameters/decimal-values.ts': {
    '/^([+-]?)(\\d*)(?:\\.(\\d*))?(?:[eE]([+-]?\\d{1,9}))?$/': worst(
      ['', '1', 'x'],
      ['-1.', '0', 'x'],
      ['1e', '1', ''],
    ),
    '/^[+-]?(?:nan|inf(?:inity)?)$/i': worst(['', 'inf', ''], ['-', 'infinity', '']),
  },
  'encode/postgres/parameters/interval-values.ts': {
    '/^([+-]?)(\\d{1,10}):(\\d{1,2})(?::(\\d{1,2})(?:\\.(\\d*))?)?$/': shortInterval,
    '/^([+-]?)(\\d{0,19})(?:\\.(\\d*))?([a-z]*)$/': shortInterval,
    '/^-?P/i': shortInterval,
    '/^@/': shortInterval,
    '/\\s+/': shortInterval,
    '/^[a-z]+$/': shortInterval,
    '/[1-9]/': shortInterval,
    '/([+-]?)(\\d{1,19})(?:[.,](\\d{1,9}))?([YMWDHS])/y': shortInterval,
  },
  'encode/postgres/parameters/number-values.ts': {
    '/^([+-]?)(\\d+)$/': worst(['', '0', 'x'], ['-', '9', 'x']),
    '/^\\d{1,10}$/': worst(['', '1', '']),
    '/^([+-]?)(\\d*)(?:\\.(\\d*))?(?:[eE]([+-]?\\d+))?$/': worst(
      ['', '1', 'x'],
      ['-1.', '0', 'x'],
      ['1e', '1', 'x'],
    ),
    '/^([+-]?)(nan|inf|infinity)$/i': worst(['', 'inf', ''], ['-', 'infinity', '']),
    '/[1-9]/': worst(['', '0', '']),
  },
  'encode/postgres/parameters/parameter-types.ts': { '/^[0-9a-fA-F]{32}$/': worst(['', 'a', '']) },
  'encode/postgres/parameters/time-values.ts': {
    '/^(\\d{4,7})-(\\d{1,2})-(\\d{1,2})/': shortTime,
    '/^(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:\\.(\\d*))?)?/': shortTime,
    '/^([+-])(\\d{1,2})(?::?(\\d{2})(?::?(\\d{2}))?)?$/': shortTime,
    '/^[A-Za-z][A-Za-z0-9_+/-]*$/': shortTime,
    '/[1-9]/': shortTime,
  },
  'encode/media-types.ts': {
    '/;\\s*q\\s*=\\s*([0-9.]+)/i': worst(['', ';', ''], [';', ' ', ''], ['', '; q ', ''], ['', ';q=', '']),
  },
  'model/duration.ts': { '/^(\\d{1,12})(s|m|h|d|)$/': worst(['', '0', '']) },
  'frames/writing/put-conditions.ts': {
    '/^[\\x21-\\x7e]+$/': short('an idempotency key of at most 255 characters'),
  },
  'model/handle.ts': {
    '/^(0|[1-9][0-9]{0,14})\\.\\.([1-9][0-9]{0,14})?$/': worst(['', '1', '']),
    '/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/': worst(['', 'a', '']),
    '/^[1-9][0-9]{0,14}$/': worst(['', '1', '']),
    '/^[A-Za-z][A-Za-z0-9_-]{0,63}$/': worst(['', 'a', '']),
    '/^[a-z2-7]{26}$/': worst(['', 'a', '']),
  },
  'cluster/memory-queries.ts': { '/^[\\x21-\\x7e]{1,128}$/': worst(['', 'a', '']) },
  'model/tenant.ts': { '/^[a-z0-9][a-z0-9_-]{0,62}$/': worst(['', 'a', '']) },
  'http/hooks/plain-path.ts': { '/[?#]/': worst(['', 'a', '']) },
  'http/hooks/browser-hook.ts': { '/^https?:\\/\\/(.+)$/': worst(['http://', 'a', '\n']) },
  'http/response/content-coding.ts': {
    '/^\\s*q=([0-9.]+)\\s*$/': worst(['', ' ', ''], ['q=', '0', 'x'], ['q=0', ' ', 'x']),
  },
  'http/response/content-disposition.ts': {
    '/[\\p{Cc}"*/:<>?\\\\|]/gu': fileName,
    '/[^\\x20-\\x7e]/gu': fileName,
    "/['()*]/g": fileName,
  },
  'http/mcp/answer-message.ts': {
    '/[\\p{Cf}\\p{Cn}\\p{Co}\\u2028\\u2029]+/gu': worst(['', '\u200b', ''], ['', 'a', '']),
  },
  'http/request/content-digest.ts': {
    '/^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):(?:;[^,]*)?$/': worst(
      ['', 'a', ''],
      ['a=:', 'a', ''],
      ['a=:', '=', ''],
      ['a=::;', 'a', ','],
      ['', 'a=:', ''],
    ),
  },
  'http/response/etag.ts': {
    '/^W\\//': worst(['', 'W/', '']),
    '/^("[^".]*\\.\\d+)(\\.\\d+)?(\\.k\\d+)?"$/': worst(
      ['"', 'a', ''],
      ['"a.', '1', ''],
      ['"a.1.', '1', 'x'],
      ['"a.1.1.k', '1', 'x'],
    ),
  },
  'http/request/exact-json.ts': {
    '/^-?\\d+$/': worst(['', '1', 'x']),
  },
  'http/response/exec-problem.ts': {
    '/[?#;]/': short('cut to 200 characters'),
    '/^https?:\\/\\/[^/]*/i': short('cut to 200 characters'),
  },
  'http/hooks/host-names.ts': {
    '/^[a-z0-9_.-]+$/': worst(['', 'a', '!']),
    '/^(?:\\[([^\\]]*)\\]|([^:]*))(?::\\d*)?$/': worst(
      ['[', 'a', ''],
      ['', 'a', ':x'],
      ['a:', '1', 'x'],
      ['', '[]', ''],
    ),
    '/\\.$/': worst(['', '.', 'a']),
  },
  'http/listener.ts': { '/^[A-Za-z0-9_.-]{1,64}$/': worst(['', 'a', '']) },
  'http/hooks/malformed-request.ts': {
    '/(?:^|\\W)100-continue(?:$|\\W)/i': worst(
      ['', '100-continu', ''],
      ['', ' 100-continue', 'a'],
      ['', ' ', ''],
    ),
  },
  'http/request/sub-path.ts': { '/\\/+$/': operator },
  'http/request/instant.ts': {
    '/^(\\d{4})-(\\d\\d)-(\\d\\d)T\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,3})?(?:Z|[+-]\\d\\d:\\d\\d)$/':
      short('a body of at most 4 KiB'),
  },
  'http/request/parameters.ts': { '/^\\d{1,15}$/': worst(['', '1', '']) },
  'http/routes/events.ts': { '/^(\\d{1,15})(?:-(\\d{1,15}))?$/': worst(['', '1', ''], ['1-', '1', '']) },
  'http/routes/schemas/sql-schema.ts': { '/^[A-Za-z0-9_.-]{1,64}$/': worst(['', 'a', '']) },
  'http/routes/statements/sql-request.ts': {
    '/^"?(utf-?8|us-ascii)"?$/': worst(['', 'utf-8', ''], ['"', '"', '']),
    '/[?&]id=/': worst(['', '&id', ''], ['', '&', '']),
  },
  'decode/convert/plan-conversion.ts': {
    '/^(?:__index_level_\\d+__|index)$/': worst(['__index_level_', '1', '']),
  },
  'decode/frame-columns.ts': {
    '/^[+-]?[0-9]+$/': shortNumber,
    '/\\.0+$/': shortNumber,
    '/^\\+/': shortNumber,
    '/^[+-]?[0-9]/': shortNumber,
    '/[T ]00:00:00(?:\\.0{1,9})?$/': short('cut to 40 characters'),
  },
  'decode/cells/cell-parser.ts': {
    '/^[+-]?[0-9]+$/': worst(['', '0', 'x']),
    '/^([+-]?)([0-9]+)(?:\\.([0-9]+))?$/': worst(['', '0', 'x'], ['0.', '0', 'x']),
    '/^[+-]?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/': worst(
      ['', '0', 'x'],
      ['0.', '0', 'x'],
      ['0e', '0', 'x'],
    ),
    '/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i': worst(['', '0', '']),
  },
  'decode/cells/column-guess.ts': {
    '/^(?:0|-?[1-9][0-9]{0,18})$/': worst(['', '1', '']),
    '/^-?[0-9]{20,}$/': worst(['', '1', 'x']),
    '/^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/': worst(
      ['', '1', 'x'],
      ['0.', '1', 'x'],
      ['0e', '1', 'x'],
    ),
    '/^(?:true|false)$/i': worst(['', 'true', '']),
    '/^[0-9]+[eE][0-9]+$/': worst(['', '1', 'x'], ['1e', '1', 'x']),
  },
  'decode/charset.ts': { '/[\\u0080-\\u009f]/g': worst(['', '\u0080', ''], ['', 'a', '']) },
  'decode/csv/csv-dialect.ts': {
    '/^sep=([^"\\r\\n])\\r?\\n/i': short('the first ten characters of a file'),
    '/\\r?\\n$/': short('a row as it is shown, at most 4,096 bytes'),
  },
  'decode/csv/csv.ts': {
    '/^[+-]?[0-9.]*,[0-9]+$/': short('the first hundred characters of a cell'),
    '/^[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}/': worst(['', '1', ''], ['', '1.', '']),
  },
  'decode/cells/notation.ts': {
    '/^[+-]?[0-9]{1,3}$/': worst(['', '1', '']),
    '/^[0-9]{3}(?![0-9])/': worst(['', '1', '']),
    '/^[0-9]{3}$/': worst(['', '1', '']),
    '/^([0-9]{4})([./-])([0-9]{1,2})\\2([0-9]{1,2})(?:$|[ T])/': worst(['', '1', ''], ['2024-1-1', ' ', '']),
    '/^([0-9]{1,2})([./-])([0-9]{1,2})\\2([0-9]{4})(?:$|[ T])/': worst(['', '1', ''], ['1.1.2024', ' ', '']),
    '/[ T]$/': short('a day and one more character'),
    '/^([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?(?![0-9:])/': worst(['', '1:', ''], ['1:11:11', ':', '']),
  },
  'decode/json/json-parser.ts': {
    '/-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y': worst(
      ['', '1', 'x'],
      ['0.', '1', 'x'],
      ['0e', '1', 'x'],
    ),
    '/[ \\t\\r\\n]*/y': worst(['', ' ', '']),
    '/[^"\\\\\\u0000-\\u001f]*/y': worst(['', 'a', '']),
    '/^[0-9a-fA-F]{4}$/': short('four characters'),
  },
  'decode/json/json-shape.ts': { '/^(?:0|-?[1-9][0-9]*)$/': worst(['', '1', 'x']) },
  'decode/cells/number-digits.ts': { '/e/i': worst(['', '1', '']) },
  'decode/cells/sql-type.ts': {
    '/^(?:DECIMAL|NUMERIC)\\s*\\(\\s*([0-9]{1,2})\\s*(?:,\\s*([0-9]{1,2})\\s*)?\\)$/': worst(
      ['DECIMAL', ' ', ''],
      ['DECIMAL(', ' ', ''],
      ['DECIMAL(1', ' ', ''],
      ['DECIMAL(1,', ' ', ''],
      ['DECIMAL(1,1', ' ', ''],
    ),
    '/\\s+/g': short('a type in the parameter types: at most http.url_bytes_max'),
  },
  'pgwire/text/column-names.ts': {
    '/^[a-z_][a-z0-9_]*$/': worst(['', 'a', ''], ['', 'a', '-']),
  },
  'pgwire/text/expression-name.ts': { '/[A-Z]/g': oneCharacter },
  'pgwire/text/read-command.ts': { '/^\\d{1,10}$/': worst(['', '1', '']) },
  'pgwire/session/setting-table.ts': {
    '/^(?:GMT|UTC)?([+-])(\\d{1,2})(?::(\\d{2}))?$/i': short('a time zone of at most 64 characters'),
    '/^ *(\\d{1,10}) *([a-z]{1,3})? *$/': short('a duration of at most 32 characters'),
  },
  'sockets/client-certificate.ts': {
    '/([^:,"]+):(?:("(?:[^"\\\\]|\\\\.)*")|([^,"]*))(?:, |$)/y': short(
      'the names of a certificate that our own authority has signed',
    ),
  },
  'sockets/first-bytes.ts': { '/^[A-Z][A-Z-]+$/': short('cut to 17 characters') },
  'sql/catalog/visible-tables.ts': { '/^[A-Za-z0-9_.-]{0,128}$/': worst(['', 'a', '']) },
  'store/object-keys.ts': { '/^[A-Za-z0-9_-]+\\/[a-z0-9]+(\\.[0-9]+)?\\.(arrow|parquet)$/': objectKey },
  'telemetry/text-format.ts': { '/^[\\x21\\x23-\\x3c\\x3e-\\x7e]+$/': worst(['', 'a', ' ']) },
  'telemetry/visible-line.ts': {
    '/[^\\n\\x20-\\x7e\\u00a0-\\u2027\\u202a-\\uffff]/': worst(['', 'a', '']),
    'new RegExp(…)': short(
      'a line of the log: what a caller chooses of it is the path, at most http.url_bytes_max',
    ),
  },
  'upstream/export-query.ts': { '/["\'.\\\\]/': short('the name of a column of the external database') },
  'upstream/one-select.ts': {
    '/\'(?:[^\']|\'\')*\'|"(?:[^"]|"")*"|--[^\\n]*|\\/\\*[\\s\\S]*?(?:\\*\\/|$)|[\\p{L}\\p{N}_@$]+|\\S/gu':
      short('at most tsdb.url_bytes_max, looked at before'),
    '/[^\\n]/g': short('at most tsdb.url_bytes_max, looked at before'),
  },
  'upstream/query-refused.ts': {
    '/\\btimeout, query aborted\\b/': short('cut to 500 characters'),
    '/[\\s\\p{Cc}]+/gu': short('cut to 2,000 characters'),
    '/\\.$/': short('cut to 500 characters'),
  },
  'upstream/tsdb-client.ts': { '/\\/+$/': operator },
  'model/postgres/catalog-functions.ts': {
    '/^(array_|cardinality$|generate_|quote_|parse_ident$)/': ours,
  },
  'sql/postgres/text/nodes.ts': {
    // At one place each time, and what it takes is not looked at again.
    '/[ \\t\\n\\r\\f\\v]+|--[^\\n\\r]*|([A-Za-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)|(\\d[\\w.]*|\\.\\d\\w*)|(\\$\\d+)|(::|[(),.;:[\\]])|([-+*/<>=~!@#%^&|`?]+)/y':
      worst(['', ' ', ''], ['', 'a', ''], ['', '1.', ''], ['', '-', ''], ['$', '1', '']),
    '/\\$(?:[A-Za-z_\\u0080-\\uffff][\\w\\u0080-\\uffff]*)?\\$/y': worst(['$', 'a', ''], ['', '$', '']),
    "/^[eE]'[^\\\\]*'$/": worst(["e'", 'a', ''], ["e'", "'", '\\']),
  },
};
