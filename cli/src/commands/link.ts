import type { Framehold } from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { withFrameHint } from '../frame-hint.ts';
import { printJson, wantsTable } from '../output/answers.ts';
import { timeText } from '../output/readable-numbers.ts';
import { tableOfRows } from '../output/terminal-table.ts';
import { UsageError } from '../usage-error.ts';
import { describeLink } from './put.ts';

export async function run(call: Call): Promise<number> {
  const { words, options, signal, output } = call;
  const [handle = ''] = words;
  const [name = ''] = handle.split('@');
  const revoked = options.text('revoke');
  if ([options.has('list'), options.has('ttl'), revoked !== undefined].filter(Boolean).length > 1)
    throw new UsageError('--ttl, --list and --revoke exclude each other.', 'Give one of them.');
  const client = await call.connect();
  return await withFrameHint(client, handle, async () => {
    if (options.has('list')) return await list(call, client, name);
    if (revoked !== undefined) {
      await client.frames.unlink(name, revoked, { signal });
      if (wantsTable(call)) await output.line(`The link ${revoked} is revoked.`);
      else await printJson(call, { revoked });
      return 0;
    }
    const ttl = options.text('ttl');
    const link = await client.frames.link(handle, { signal, ...(ttl === undefined ? {} : { ttl }) });
    if (wantsTable(call)) await output.line(describeLink(link));
    else await printJson(call, link);
    return 0;
  });
}

async function list(call: Call, client: Framehold, name: string): Promise<number> {
  const links = await client.frames.links(name, { signal: call.signal });
  if (!wantsTable(call)) for (const link of links) await printJson(call, link);
  else
    await call.output.write(
      tableOfRows(
        [{ title: 'ID' }, { title: 'HANDLE' }, { title: 'CREATED' }, { title: 'BY' }, { title: 'EXPIRES' }],
        links.map(({ id, handle, createdAt, createdBy, expiresAt }) => [
          id,
          handle,
          timeText(createdAt),
          createdBy,
          timeText(expiresAt),
        ]),
        call.output.width,
      ),
    );
  return 0;
}
