import type { RowShape, WriterOptions } from '../ports/renderer.ts';
import { mcp } from './mcp.ts';
import { outputFormats } from './output-formats.ts';
import { copyData } from './postgres/copy-data.ts';
import { dataRows } from './postgres/data-rows.ts';
import type { RowWriter } from './row-writer.ts';

/** What listeners need. No request can name them: what callers may ask for is in `outputFormats`. */
export const listenerWriters: Readonly<Record<string, RowWriter>> = {
  mcp,
  postgres: dataRows,
  'postgres-copy': copyData,
};

export function rowWriter(shape: RowShape): RowWriter {
  if (!isOfListener(shape)) return outputFormats[shape.format];
  const writer = listenerWriters[shape.writer];
  if (writer === undefined) throw new Error(`there is no row writer ${shape.writer}`);
  return writer;
}

/** A writer's own options may have any names. */
function isOfListener(shape: RowShape): shape is WriterOptions {
  return 'writer' in shape;
}
