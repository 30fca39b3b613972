import type { RowFormat } from '../ports/renderer.ts';
import { arrow } from './arrow.ts';
import { csv } from './csv.ts';
import { json } from './json.ts';
import { ndjson } from './ndjson.ts';
import type { OutputFormat } from './output-format.ts';
import { parquet } from './parquet.ts';

/** What callers may ask for, by `fmt` or `Accept`. */
export const outputFormats: Readonly<Record<RowFormat, OutputFormat>> = { json, csv, ndjson, arrow, parquet };
