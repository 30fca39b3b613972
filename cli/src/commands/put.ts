import { existsSync } from 'node:fs';
import {
  type CsvOptions,
  type Framehold,
  formatOfName,
  type Manifest,
  type NewLink,
  type UploadFormat,
} from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { withFrameHint } from '../frame-hint.ts';
import { newKey } from '../idempotency-key.ts';
import { printJson, wantsTable } from '../output/answers.ts';
import { Progress } from '../output/progress.ts';
import { byteText, rowsText, timeText } from '../output/readable-numbers.ts';
import { openSource, type UploadSource } from '../transfer/upload-source.ts';
import { UsageError } from '../usage-error.ts';

export async function run(call: Call): Promise<number> {
  const { words, options, signal, output } = call;
  const [path = '', written] = words;
  refuseContradictions(call);
  const client = await call.connect();
  await using source = await openSource(path, options.text('format') as UploadFormat | undefined);
  const name = written ?? source.frameName;
  const versionsKeep = options.count('keep');
  const sent = await send(call, client, source, name);
  if (versionsKeep !== undefined) await client.frames.keepVersions(sent.name, versionsKeep, { signal });
  const manifest = versionsKeep === undefined ? sent : { ...sent, versionsKeep };
  const link = options.has('link')
    ? await client.frames.link(manifest.handle, { signal, ...ttlOf(options.text('link-ttl')) })
    : null;
  if (!wantsTable(call, 'output')) await printJson(call, link === null ? manifest : { ...manifest, link });
  else {
    await output.line(describe(manifest));
    if (link !== null) await output.line(describeLink(link));
  }
  return 0;
}

async function send(
  call: Call,
  client: Framehold,
  source: UploadSource,
  name: string | null,
): Promise<Manifest> {
  const { options, signal, errors } = call;
  const progress = new Progress(errors, source.label, source.totalBytes);
  const body = source.chunks((bytes) => progress.update(bytes));
  const csv = csvOptions(call);
  const ifVersion = options.count('if-version');
  const shared = {
    format: source.format,
    signal,
    idempotencyKey: newKey(),
    ...(ifVersion === undefined ? {} : { ifVersion }),
    ...(csv === null ? {} : { csv }),
  };
  try {
    if (options.has('append')) {
      const target = name ?? '';
      const append = () => client.frames.append(target, body, shared);
      return await withFrameHint(client, target, append, 'Without --append, the frame is made.');
    }
    const create = options.has('create') ? ({ ifNoneMatch: '*' } as const) : {};
    return await client.frames.put(name, body, { ...shared, ...create, ...ttlOf(options.text('ttl')) });
  } finally {
    progress.end();
  }
}

function refuseContradictions({ words, options }: Call): void {
  const [path, name] = words;
  if (name !== undefined && formatOfName(name) !== undefined && existsSync(name))
    throw new UsageError(
      `${name} is a file, and the second word is the name of the frame.`,
      'Put one file at a time: for file in *.csv; do framehold put "$file"; done',
    );
  if (options.has('append') && path === '-' && name === undefined)
    throw new UsageError('--append needs the name of a frame.', 'Write framehold put - NAME --append.');
  if (options.has('append') && (options.has('ttl') || options.has('create')))
    throw new UsageError(
      `--append cannot be combined with --${options.has('ttl') ? 'ttl' : 'create'}.`,
      'Appending changes neither when a frame expires nor makes a new one.',
    );
  if (options.has('if-version') && (options.has('create') || (path === '-' && name === undefined)))
    throw new UsageError(
      `--if-version ${options.has('create') ? 'cannot be combined with --create' : 'needs the name of a frame'}.`,
      'It is for the next version of a frame that exists: framehold put FILE NAME --if-version 3.',
    );
  if (options.count('keep') === 0)
    throw new UsageError('--keep 0 would keep no version.', 'Give 1 to keep only the newest.');
  if (options.has('link-ttl') && !options.has('link'))
    throw new UsageError('--link-ttl is only for --link.', 'Give --link, too.');
}

function csvOptions({ options }: Call): CsvOptions | null {
  const types = options.all('type').map((text) => {
    // A type has no equals sign; the name of a column may.
    const at = text.lastIndexOf('=');
    if (at <= 0)
      throw new UsageError(
        `--type ${JSON.stringify(text)} has no type.`,
        'Write --type COLUMN=TYPE, as in --type price=DECIMAL(18,4).',
      );
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  const texts = ['delimiter', 'null', 'charset', 'decimal', 'thousands', 'dates'].filter((name) =>
    options.has(name),
  );
  if (types.length + texts.length === 0) return null;
  return {
    ...Object.fromEntries(texts.map((name) => [name, options.text(name)])),
    ...(types.length === 0 ? {} : { types: Object.fromEntries(types) }),
  };
}

function ttlOf(ttl: string | undefined): { readonly ttl?: string } {
  return ttl === undefined ? {} : { ttl };
}

function describe({ handle, rows, bytes, columns, expiresAt }: Manifest): string {
  const until = expiresAt === null ? '' : `, until ${timeText(expiresAt)}`;
  return `${handle}  ${rowsText(rows)}, ${columns.length} columns, ${byteText(bytes)}${until}`;
}

export function describeLink({ url, fileUrl, expiresAt }: NewLink): string {
  const asFile = fileUrl === undefined ? '' : `\n  For polars, DuckDB and other programs: ${fileUrl}`;
  return `${url}${asFile}\n  Everyone who has this link can read this version until ${timeText(expiresAt)}, and it is kept as long.`;
}
