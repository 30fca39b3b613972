import type { Framehold, Manifest, Origin } from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { withFrameHint } from '../frame-hint.ts';
import { printJson, wantsTable } from '../output/answers.ts';
import { columnTable, tableOf } from '../output/frame-tables.ts';
import { byteText, countText, timeText } from '../output/readable-numbers.ts';
import { safeText } from '../output/safe-text.ts';
import { tableOfRows } from '../output/terminal-table.ts';

export async function run(call: Call): Promise<number> {
  const { words, options } = call;
  const [handle = ''] = words;
  const client = await call.connect();
  return await withFrameHint(client, handle, async () => {
    if (options.has('versions')) await showVersions(call, client, handle);
    else if (options.has('statistics')) await showStatistics(call, client, handle);
    else await showManifest(call, await client.frames.get(handle, { signal: call.signal }));
    return 0;
  });
}

async function showManifest(call: Call, manifest: Manifest): Promise<void> {
  if (!wantsTable(call)) return await printJson(call, manifest);
  const { handle, rows, bytes, parts, createdAt, expiresAt, versionsKeep, origin, columns } = manifest;
  const facts = [
    ['handle', handle],
    ['rows', countText(rows)],
    ['size', byteText(bytes)],
    ['parts', `${parts}`],
    ['created', timeText(createdAt)],
    ['expires', expiresAt === null ? 'never' : timeText(expiresAt)],
    ...(versionsKeep === undefined ? [] : [['keeps', `${versionsKeep} versions`]]),
    ['origin', originText(origin)],
  ];
  for (const [name = '', value = ''] of facts) await call.output.line(`${name.padEnd(8)} ${safeText(value)}`);
  await call.output.write(`\n${columnTable(columns, call.output.width)}`);
}

function originText({ kind, format, from, query }: Origin): string {
  if (query !== undefined) return `query: ${query.text}`;
  return from === undefined ? `${kind}, ${format}` : `restored from version ${from}`;
}

async function showVersions(call: Call, client: Framehold, handle: string): Promise<void> {
  const [name = ''] = handle.split('@');
  let cursor: string | null = null;
  do {
    const page = await client.frames.versions(name, {
      limit: 1_000,
      signal: call.signal,
      ...(cursor === null ? {} : { cursor }),
    });
    if (wantsTable(call)) await call.output.write(tableOf(page.versions, call.output.width));
    else for (const version of page.versions) await printJson(call, version);
    cursor = page.next;
  } while (cursor !== null);
}

async function showStatistics(call: Call, client: Framehold, handle: string): Promise<void> {
  const statistics = await client.frames.statistics(handle, { signal: call.signal });
  if (!wantsTable(call)) return await printJson(call, statistics);
  await call.output.write(
    tableOfRows(
      [
        { title: 'COLUMN' },
        { title: 'TYPE' },
        { title: 'NULLS', isRight: true },
        { title: 'DISTINCT', isRight: true },
        { title: 'MIN' },
        { title: 'MAX' },
        { title: 'MEAN' },
      ],
      statistics.columns.map(({ name, type, nulls, distinct, min, max, mean }) => [
        name,
        type,
        nulls === null ? null : countText(nulls),
        distinct === null ? null : countText(distinct),
        min,
        max,
        mean,
      ]),
      call.output.width,
    ),
  );
}
