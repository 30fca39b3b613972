import type { Framehold } from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { withFrameHint } from '../frame-hint.ts';
import { columnTable, tableOf } from '../output/frame-tables.ts';
import { UsageError } from '../usage-error.ts';

const help = `  statement;   runs when a line ends with a semicolon
  \\d           the frames
  \\d NAME      the columns of a frame
  \\?           this text
  \\q           leave (also Ctrl-D)

  Tab completes keywords, frames and columns. Ctrl-C cancels a statement that runs, or the one that is typed.
`;

/** One page: a longer list scrolls away. */
const listedMax = 1_000;

/** What begins with a backslash, except `\q`. */
export async function runShellCommand(
  { output, signal }: Pick<Call, 'output' | 'signal'>,
  client: Framehold,
  line: string,
): Promise<void> {
  const [command = '', ...words] = line.split(/\s+/);
  if (command === '\\?' || command === '\\h') return await output.write(help);
  if (command !== '\\d' || words.length > 1)
    throw new UsageError(`${line} is not known.`, 'Known: \\d, \\d NAME, \\?, \\q.');
  const [name] = words;
  if (name === undefined) {
    const { frames, next } = await client.frames.list({ limit: listedMax, signal });
    await output.write(frames.length === 0 ? 'There are no frames yet.\n' : tableOf(frames, output.width));
    if (next !== null) await output.line(`… more; framehold ls lists all.`);
    return;
  }
  const handle = name.replace(/^"(.*)"$/, '$1').replace(/;$/, '');
  const { columns } = await withFrameHint(client, handle, () => client.frames.get(handle, { signal }));
  await output.write(columnTable(columns, output.width));
}
