import type { DecodeRequest, UploadFormat } from '../frames/ports/codec.ts';
import { bodyFault } from './body-fault.ts';
import { decodeArrowFile } from './decode/arrow-file.ts';
import { decodeCsv } from './decode/csv.ts';
import { decodeNdjson } from './decode/ndjson.ts';
import { decodeParquet } from './decode/parquet.ts';

type Decoder = (request: DecodeRequest, signal: AbortSignal) => Promise<void>;

const decoders: Readonly<Record<UploadFormat, { decode: Decoder; name: string }>> = {
  'arrow-file': { decode: decodeArrowFile, name: 'a valid Arrow file' },
  parquet: { decode: decodeParquet, name: 'a readable Parquet file' },
  csv: { decode: decodeCsv, name: 'readable CSV' },
  ndjson: { decode: decodeNdjson, name: 'readable NDJSON' },
};

/** Turns an upload of another format into an Arrow stream. bad_body says what is wrong with its bytes. */
export async function decodeUpload(request: DecodeRequest, signal: AbortSignal): Promise<void> {
  const { decode, name } = decoders[request.format];
  try {
    await decode(request, signal);
  } catch (thrown) {
    throw bodyFault(thrown, name);
  }
}
