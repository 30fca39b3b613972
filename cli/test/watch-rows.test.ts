import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commands } from '../src/commands.ts';
import { parseCall } from '../src/parse-call.ts';
import { withoutHeader } from '../src/watch/csv-header.ts';

test('CSV is written without its header, whatever the names of the columns are', () => {
  for (const [csv, rest] of [
    ['n\r\n1\r\n2\r\n', '1\r\n2\r\n'],
    ['"a\r\nb",c\r\n1,2\r\n', '1,2\r\n'],
    ['"a ""quoted"" \n name"\n"x\n"\n', '"x\n"\n'],
    ['n\r\n', ''],
    ['', ''],
    ['"""\n"""\n1\n', '1\n'],
  ] as const)
    assert.equal(withoutHeader(csv), rest, JSON.stringify(csv));
});

/** Says what is wrong before there is any server. */
async function refusal(...argv: string[]): Promise<string> {
  const command = commands.find(({ name }) => name === 'watch');
  assert.ok(command !== undefined);
  const { words, options } = parseCall(command, argv);
  const connect = () => Promise.reject(new Error('connected'));
  const { run } = await command.load();
  const output = { isTerminal: false };
  return await run({ words, options, output, connect } as never).then(String, (error) =>
    `${error.message} ${error.hint ?? ''}`.trim(),
  );
}

test('flags for rows and flags for changes are not mixed', async () => {
  for (const [argv, message] of [
    [['--since', '3'], /^--since is for rows\. Write framehold watch --rows NAME --since/],
    [['trades', '--timeout', '3'], /^--timeout is for rows/],
    [['--format', 'csv'], /^Changes cannot be shown as csv/],
    [['--rows'], /^Rows are those of one frame/],
    [['--rows', 'a', 'b'], /^Rows are those of one frame/],
    [['--rows', 'a*'], /^Rows are those of one frame/],
    [['--rows', 'trades@12..'], /"trades@12\.\." is not the name .* --rows trades --since 12$/],
    [['--rows', 'trades', '--statements'], /^--statements is for changes/],
    [['--rows', 'trades', '--format', 'json'], /ndjson/],
    [['--rows', 'trades', '--since', '-1'], /^--since "-1" is not a position/],
    [['--rows', 'trades', '--since', '1..2'], /^--since "1\.\.2" is not a position/],
    [['--rows', 'trades', '--count', '0'], /^0$/],
    [['--rows', 'trades', '--since', '1..2+3'], /^connected$/],
    [['--rows', 'false'], /^connected$/],
  ] as const)
    assert.match(await refusal(...argv), message, argv.join(' '));
});
