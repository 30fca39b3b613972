import type { FramePage } from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { printJson, wantsTable } from '../output/answers.ts';
import { tableOf } from '../output/frame-tables.ts';

/** What the server allows in one page; a table is printed page by page, so that a long list needs little memory. */
const pageRows = 1_000;

export async function run(call: Call): Promise<number> {
  const { words, options, output, signal } = call;
  const [prefix] = words;
  const client = await call.connect();
  const isTable = wantsTable(call) && !options.has('names');
  let cursor: string | null = null;
  let isEmpty = true;
  do {
    const paging = { limit: pageRows, signal, ...(cursor === null ? {} : { cursor }) };
    const page: FramePage = options.has('shared')
      ? await client.frames.shared(paging)
      : await client.frames.list({ ...paging, ...(prefix === undefined ? {} : { prefix }) });
    // The server has no prefix for these.
    const frames = page.frames.filter(({ name }) => !options.has('shared') || name.startsWith(prefix ?? ''));
    isEmpty &&= frames.length === 0;
    if (options.has('names')) for (const { name } of frames) await output.line(name);
    else if (!isTable) for (const frame of frames) await printJson(call, frame);
    else if (frames.length > 0) await output.write(tableOf(frames, output.width));
    cursor = page.next;
  } while (cursor !== null);
  if (isEmpty && isTable) await output.line(emptyText(call, prefix));
  return 0;
}

function emptyText({ options }: Call, prefix: string | undefined): string {
  if (prefix !== undefined) return `No frame begins with ${prefix}.`;
  return options.has('shared')
    ? 'No other tenant shares a frame with this tenant.'
    : 'There are no frames yet. framehold put FILE creates one.';
}
