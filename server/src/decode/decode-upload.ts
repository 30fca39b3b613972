import { bodyFault } from '../parquet/body-fault.ts';
import type { DecodeReport, DecodeRequest, UploadFormat } from '../ports/codec.ts';
import { decodeArrowFile } from './arrow-file.ts';
import { decodeCsv } from './csv/csv.ts';
import { decodeNdjson } from './json/ndjson.ts';
import { decodeParquet } from './parquet.ts';

type Decoder = (request: DecodeRequest, signal: AbortSignal) => Promise<DecodeReport>;

const decoders: Readonly<Record<UploadFormat, { decode: Decoder; name: string }>> = {
  'arrow-file': { decode: unreported(decodeArrowFile), name: 'a valid Arrow file' },
  parquet: { decode: unreported(decodeParquet), name: 'a readable Parquet file' },
  csv: { decode: decodeCsv, name: 'readable CSV' },
  ndjson: { decode: decodeNdjson, name: 'readable NDJSON' },
  json: { decode: decodeNdjson, name: 'a readable JSON array' },
};

/** Turns an upload of another format into an Arrow stream. bad_body says what is wrong with its bytes. */
export async function decodeUpload(request: DecodeRequest, signal: AbortSignal): Promise<DecodeReport> {
  const { decode, name } = decoders[request.format];
  try {
    return await decode(request, signal);
  } catch (thrown) {
    throw bodyFault(thrown, name);
  }
}

/** Of binary formats there is nothing to report: they say themselves how they are read. */
function unreported(decode: (request: DecodeRequest, signal: AbortSignal) => Promise<void>): Decoder {
  return async (request, signal) => {
    await decode(request, signal);
    return {};
  };
}
