import type { Framehold, Tag } from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { withFrameHint } from '../frame-hint.ts';
import { printJson, wantsTable } from '../output/answers.ts';
import { timeText } from '../output/readable-numbers.ts';
import { tableOfRows } from '../output/terminal-table.ts';
import { UsageError } from '../usage-error.ts';

export async function run(call: Call): Promise<number> {
  const { words, options, signal } = call;
  const [handle = '', tag] = words;
  const [name = ''] = handle.split('@');
  const isRemoved = options.has('remove');
  if (tag === undefined && (isRemoved || options.has('create')))
    throw new UsageError('No tag is given.', 'Write it after the frame, as in framehold tag trades gold.');
  if (isRemoved && options.has('create'))
    throw new UsageError('--create and --remove exclude each other.', 'Give one of them.');
  const client = await call.connect();
  return await withFrameHint(client, handle, async () => {
    if (tag === undefined) return await list(call, client, name);
    if (isRemoved) {
      await client.frames.untag(name, tag, { signal });
      if (wantsTable(call)) await call.output.line(`The tag ${tag} is removed.`);
      else await printJson(call, { removed: tag });
      return 0;
    }
    const made = await client.frames.tag(handle, tag, { signal, createOnly: options.has('create') });
    if (wantsTable(call)) await call.output.line(`${name}@${tag} is ${made.handle}.`);
    else await printJson(call, made);
    return 0;
  });
}

async function list(call: Call, client: Framehold, name: string): Promise<number> {
  const tags: readonly Tag[] = await client.frames.tags(name, { signal: call.signal });
  if (!wantsTable(call)) for (const tag of tags) await printJson(call, tag);
  else
    await call.output.write(
      tableOfRows(
        [{ title: 'TAG' }, { title: 'HANDLE' }, { title: 'SET' }, { title: 'BY' }],
        tags.map(({ tag, handle, setAt, setBy }) => [tag, handle, timeText(setAt), setBy]),
        call.output.width,
      ),
    );
  return 0;
}
