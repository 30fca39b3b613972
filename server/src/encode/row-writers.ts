import type { RowShape } from '../ports/renderer.ts';
import { mcp } from './mcp.ts';
import { outputFormats } from './output-formats.ts';
import type { RowWriter } from './row-writer.ts';

/** What listeners need. No request can name them: what callers may ask for is in `outputFormats`. */
export const listenerWriters: Readonly<Record<string, RowWriter>> = { mcp };

export function rowWriter(shape: RowShape): RowWriter {
  if ('format' in shape) return outputFormats[shape.format];
  const writer = listenerWriters[shape.writer];
  if (writer === undefined) throw new Error(`there is no row writer ${shape.writer}`);
  return writer;
}
