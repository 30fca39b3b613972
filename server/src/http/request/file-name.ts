import { FrameholdError } from '../../model/errors.ts';
import { type Handle, parseVersionHandle } from '../../model/handle.ts';
import type { RowFormat } from '../../ports/renderer.ts';

/** The formats that a file can have, as its name ends. */
export const fileSuffixes = ['parquet', 'csv', 'arrow', 'ndjson'] as const satisfies readonly RowFormat[];

export interface FileName {
  readonly handle: Handle;
  readonly format: (typeof fileSuffixes)[number];
}

/** Only the last suffix is the format: `trades.csv` is the name of a frame, too. */
export function parseFileName(text: string): FileName {
  const dot = text.lastIndexOf('.');
  const format = fileSuffixes.find((suffix) => suffix === text.slice(dot + 1).toLowerCase());
  if (dot > 0 && format !== undefined) return { handle: parseVersionHandle(text.slice(0, dot)), format };
  const shown = text.length > 140 ? `${text.slice(0, 140)}…` : text;
  throw new FrameholdError('bad_handle', `${JSON.stringify(shown)} does not end in a format.`, {
    hint: `A file is called name.FORMAT or name@version.FORMAT; FORMAT is ${fileSuffixes.join(', ')}.`,
  });
}
