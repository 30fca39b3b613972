import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { layoutFlightData, writeFlightDataHead } from '../../src/flight/flight-data.ts';
import { messagePrefixBytes } from '../../src/flight/grpc-message.ts';
import { pyarrowStreams } from '../arrow/pyarrow-streams.ts';
import { runPython } from '../support/python.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import type { TargetName } from './targets.ts';

/** Larger samples make fewer cases a second, and most of their bytes are values. */
const sampleBytesMax = 40_000;

/** Good bytes for each decoder, which the mutations begin with. */
export async function corpus(target: TargetName): Promise<Uint8Array[]> {
  switch (target) {
    case 'arrow':
    case 'convert':
      return arrowStreams();
    case 'parquet':
      return filesFromPyarrow('.parquet');
    case 'arrow-file':
      return filesFromPyarrow('.arrow');
    case 'csv':
      return [...csvSamples.map((text) => Buffer.from(text)), ...excelSamples];
    case 'ndjson':
      return ndjsonSamples.map((text) => Buffer.from(text));
    case 'json':
      return ndjsonSamples.map((text) => Buffer.from(`[${text.trim().replace(/\s*\n\s*/g, ',\n')}]`));
    case 'flight':
      return (await arrowStreams()).map((stream) => flightData(stream.subarray(8, 400), stream));
  }
}

async function arrowStreams(): Promise<Uint8Array[]> {
  const streams = await pyarrowStreams();
  return [...streams.values()].map(({ bytes }) => bytes).filter(({ length }) => length < sampleBytesMax);
}

async function filesFromPyarrow(extension: string): Promise<Uint8Array[]> {
  const folder = temporaryFolder('corpus');
  try {
    await runPython([join(import.meta.dirname, 'make-corpus.py'), folder], null);
    const names = readdirSync(folder).filter((name) => name.endsWith(extension));
    return names.sort().map((name) => readFileSync(join(folder, name)));
  } finally {
    removeFolder(folder);
  }
}

function flightData(header: Uint8Array, body: Uint8Array): Uint8Array {
  const layout = layoutFlightData(header.length, body.length);
  const frame = Buffer.alloc(messagePrefixBytes + layout.messageBytes);
  writeFlightDataHead(frame, header, layout);
  frame.set(body, layout.bodyOffset);
  return frame.subarray(messagePrefixBytes);
}

const csvSamples = [
  'a,b,c\n1,2.5,text\n-3,0.125,"quoted, with ""quotes"""\n,,\n',
  'day,at,moment\r\n2024-01-02,12:30:00.123456,2024-01-02T03:04:05Z\r\n1900-01-01,00:00:00,1970-01-01T00:00:00.000000001Z\r\n',
  'flag,id,big\ntrue,123e4567-e89b-12d3-a456-426614174000,9007199254740993\nfalse,,18446744073709551615\n',
  '"multi\nline",x\n"a\nb",NaN\n"",Infinity\n',
  'x\n1\n\n3\n',
];

const german =
  'Größe;Preis;Menge;Tag\r\nklein;1.234,50;1 000;31.12.2024\r\n"gr;o\r\nß";0,99;7;1.2.2025 9:05\r\n;;;\r\n';
const excelSamples = [
  Buffer.from(german),
  Buffer.from(german, 'latin1'),
  Buffer.from(`\ufeffsep=;\r\n${german}`),
  Buffer.from(`\ufeff${german.replaceAll(';', '\t')}`, 'utf16le'),
  Buffer.from("code|at|n\n1e5|12:30|1'000\n0.5|9:05|-0\n1e-5|2024/1/2|007\n"),
];

const ndjsonSamples = [
  '{"a":1,"b":2.5,"c":"text","d":true,"e":null}\n{"a":-3,"b":0.125,"c":"\\u00e9\\n","d":false,"f":[1,2,3]}\n',
  '{"point":{"x":1,"y":{"z":"deep"}},"list":[[1],[],[2,3]]}\n\n{"point":{"x":2},"list":[]}\n',
  '{"big":9007199254740993,"more":18446744073709551615,"most":123456789012345678901234567890}\n{"big":1}\n',
  '{"items":[{"k":"a","v":1},{"k":"b","v":null}],"text":"żółw 😀"}\r\n{"items":null}\r\n',
];
