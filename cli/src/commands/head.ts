import type { RowFormat } from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { withFrameHint } from '../frame-hint.ts';
import { wantsTable } from '../output/answers.ts';
import { checkTableRows, printRows } from '../output/rows-table.ts';
import { answerChunks } from '../transfer/answer-chunks.ts';
import { isBinary, refuseBinaryOnTerminal } from '../transfer/output-format.ts';

const rowsDefault = 10;

export async function run(call: Call): Promise<number> {
  const { words, options, output, signal } = call;
  const [handle = ''] = words;
  const columns = options.list('columns');
  const wanted = {
    limit: options.count('rows') ?? rowsDefault,
    signal,
    ...(columns === undefined ? {} : { columns }),
  };
  const format = (options.text('format') ?? 'ndjson') as RowFormat;
  if (wantsTable(call)) checkTableRows(wanted.limit);
  else refuseBinaryOnTerminal(format, output, 'Send it into a file or a pipe, or give --format csv.');
  const client = await call.connect();
  return await withFrameHint(client, handle, async () => {
    if (wantsTable(call)) await printRows(output, await client.rows(handle, wanted));
    else {
      const chunks = answerChunks(client, await client.export(handle, { ...wanted, format }), signal);
      await (isBinary(format) ? output.copy(chunks) : output.copyText(chunks));
    }
    return 0;
  });
}
