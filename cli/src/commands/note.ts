import type { FrameNotes, NotesChange } from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { withFrameHint } from '../frame-hint.ts';
import type { Options } from '../options.ts';
import { printJson, wantsTable } from '../output/answers.ts';
import { safeText } from '../output/safe-text.ts';
import { tableOfRows } from '../output/terminal-table.ts';
import { UsageError } from '../usage-error.ts';

export async function run(call: Call): Promise<number> {
  const { words, options, signal } = call;
  const [name = ''] = words;
  const change = changeIn(options);
  const client = await call.connect();
  return await withFrameHint(client, name, async () => {
    const notes =
      Object.keys(change).length === 0
        ? await client.frames.notes(name, { signal })
        : await client.frames.note(name, change, { signal });
    if (wantsTable(call)) await show(call, notes);
    else await printJson(call, notes);
    return 0;
  });
}

/** An empty text removes what is there. */
function changeIn(options: Options): NotesChange {
  const [description, owner, comment, unit] = ['description', 'owner', 'comment', 'unit'].map((flag) => {
    const text = options.text(flag);
    return text === '' ? null : text;
  });
  const labels = options.all('label');
  const column = options.text('column');
  if (column === undefined && (comment !== undefined || unit !== undefined))
    throw new UsageError('--comment and --unit are of a column.', 'Name it: --column price --unit USD.');
  if (column !== undefined && comment === undefined && unit === undefined)
    throw new UsageError('Nothing is said of the column.', 'Give --comment, --unit, or both.');
  return {
    ...(description === undefined ? {} : { description }),
    ...(owner === undefined ? {} : { owner }),
    ...(labels.length === 0 ? {} : { labels: labels.filter((label) => label !== '') }),
    ...(column === undefined
      ? {}
      : {
          columns: {
            [column]: {
              ...(comment === undefined ? {} : { comment }),
              ...(unit === undefined ? {} : { unit }),
            },
          },
        }),
  };
}

async function show({ output }: Call, { description, owner, labels, columns }: FrameNotes): Promise<void> {
  if (owner !== null) await output.line(`owner    ${safeText(owner)}`);
  if (labels.length > 0) await output.line(`labels   ${labels.map((label) => safeText(label)).join(', ')}`);
  if (description !== null)
    await output.line(`${owner === null && labels.length === 0 ? '' : '\n'}${safeText(description)}`);
  const rows = Object.entries(columns).map(([column, { unit, comment }]) => [column, unit, comment]);
  if (rows.length > 0)
    await output.write(
      `\n${tableOfRows([{ title: 'COLUMN' }, { title: 'UNIT' }, { title: 'COMMENT' }], rows, output.width)}`,
    );
  else if (description === null && owner === null && labels.length === 0)
    await output.line('Nobody has said anything yet.');
}
