import type { Framehold, RowFormat } from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { withFrameHint } from '../frame-hint.ts';
import { Progress } from '../output/progress.ts';
import { answerChunks } from '../transfer/answer-chunks.ts';
import { formatOfFile, isBinary, refuseBinaryOnTerminal } from '../transfer/output-format.ts';
import { writeWholeFile } from '../transfer/whole-file.ts';

export async function run(call: Call): Promise<number> {
  const { words, options, output, errors, signal } = call;
  const [handle = '', path = '-'] = words;
  const named = options.text('format') as RowFormat | undefined;
  const format = named ?? (path === '-' ? 'arrow' : formatOfFile(path));
  if (path === '-')
    refuseBinaryOnTerminal(
      format,
      output,
      `Give a file, as in framehold get ${handle} ${handle.split('@')[0]}.parquet, or --format csv; framehold head shows rows.`,
    );
  const client = await call.connect();
  const answer = await withFrameHint(client, handle, () =>
    client.export(handle, { format, ...rowsWanted(call) }),
  );
  // Rows on the terminal show the progress themselves.
  const isShown = path !== '-' || !output.isTerminal;
  const progress = new Progress(isShown ? errors : { write: () => true }, handle, lengthOf(answer));
  const chunks = counted(answerChunks(client, answer, signal), progress);
  try {
    if (path !== '-') await writeWholeFile(path, chunks);
    else if (isBinary(format)) await output.copy(chunks);
    else await output.copyText(chunks);
  } finally {
    progress.end();
  }
  return 0;
}

function rowsWanted({ options, signal }: Call): Omit<Parameters<Framehold['export']>[1], 'format'> {
  const [columns, limit, offset] = [options.list('columns'), options.count('limit'), options.count('offset')];
  return {
    signal,
    ...(columns === undefined ? {} : { columns }),
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
  };
}

/** Unknown if the answer is compressed on the way: the bytes that arrive here are not. */
function lengthOf({ headers }: Response): number | undefined {
  const length = headers.get('content-length');
  return length === null || headers.has('content-encoding') ? undefined : Number(length);
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  progress: Progress,
): AsyncGenerator<Uint8Array, void, void> {
  let bytes = 0;
  for await (const chunk of chunks) {
    yield chunk;
    bytes += chunk.length;
    progress.update(bytes);
  }
}
