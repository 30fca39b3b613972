import { outputFormats } from '../../../encode/output-formats.ts';
import { fileSuffixes } from '../../request/file-name.ts';
import { nodeHeadersSchema } from './rows-schema.ts';

const binary = { type: 'string', format: 'binary' } as const;
const parquetType = outputFormats.parquet.mediaType;

const headers = {
  'Framehold-Handle': { type: 'string', description: 'The version that was read, as name@version.' },
  'Content-Location': { type: 'string', description: 'The same file by its version: it never changes.' },
  'Content-Disposition': { type: 'string' },
  'Accept-Ranges': { type: 'string', description: 'bytes for parquet, none for the other formats.' },
  ETag: { type: 'string', description: 'Strong for parquet, weak for the other formats.' },
  ...nodeHeadersSchema,
} as const;

const content = Object.fromEntries(
  fileSuffixes.map((format) => [outputFormats[format].mediaType.split(';')[0] ?? '', { schema: binary }]),
);

export const fileSchema = {
  operationId: 'readFile',
  tags: ['rows'],
  summary: 'Read a frame as a file, with ranges if it is Parquet',
  params: {
    type: 'object',
    properties: {
      file: {
        type: 'string',
        description: `name or name@version, a point, and one of ${fileSuffixes.join(', ')}`,
      },
    },
  },
  response: {
    200: { description: 'The whole file', headers, content },
    206: {
      description: 'parquet: the ranges that the header Range names, at most 16',
      headers: {
        ...headers,
        'Content-Range': { type: 'string', description: 'Of a single range.' },
      },
      content: { [parquetType]: { schema: binary }, 'multipart/byteranges': { schema: binary } },
    },
    304: { description: 'The caller has the file already', type: 'null' },
  },
} as const;
