import { outputFormats } from '../../../encode/output-formats.ts';
import { rowFormats } from '../../../ports/renderer.ts';
import { flag, required, text, wholeNumber } from '../../request/parameters.ts';

/** An answer with rows in any format; `json` is the schema of the JSON one. */
export function rowsContent(json: unknown): Record<string, { readonly schema: unknown }> {
  const text = { type: 'string' };
  const binary = { type: 'string', format: 'binary' };
  return Object.fromEntries(
    rowFormats.map((format) => {
      const [type = '', charset] = outputFormats[format].mediaType.split(';');
      return [type, { schema: format === 'json' ? json : charset === undefined ? binary : text }];
    }),
  );
}

/** Of what reads rows. */
export const rowsHandle =
  'name, name@version, or the rows since a version: name@12.. has those after version 12 up to the newest, name@12..20 those up to version 20';

export const rowsParameters = {
  fmt: text('fmt', 'Comes before the Accept header.', { enum: rowFormats }),
  offset: wholeNumber('offset', 'Number of rows to skip; default: 0. Not together with cursor.'),
  limit: wholeNumber('limit', 'Maximum number of rows; default: all.'),
  columns: text('columns', 'Names of the columns wanted, separated by commas, in the order wanted.'),
  cursor: text('cursor', 'From the header Framehold-Cursor or Link of the page before.'),
  quoteLargeNum: flag('quoteLargeNum', 'json: 64-bit integers as strings.'),
};

export const exportParameters = {
  handle: required(text('handle', rowsHandle)),
  ...rowsParameters,
};

/** On `/exec` as well. */
export const pageHeadersSchema = {
  'Framehold-Handle': {
    type: 'string',
    description: 'What was read: name@version, or name@12..20 for rows since a version.',
  },
  'Framehold-Rows-Total': {
    type: 'string',
    description: 'Rows of the version, or of those since a version.',
  },
  'Framehold-Cursor': { type: 'string', description: 'Only if rows are left: where the next page begins.' },
  Link: { type: 'string', description: 'Only if rows are left: the next page, with rel="next".' },
  ETag: { type: 'string' },
} as const;

/** With several nodes that share a catalog. */
export const nodeHeadersSchema = {
  'Framehold-Node': { type: 'string', description: 'Only with several nodes: the node that answered.' },
  'Framehold-Warm-Node': {
    type: 'string',
    description: 'Only with several nodes: the node that most likely has the frame in its cache.',
  },
} as const;

const rowsResponse = {
  200: {
    description: 'The rows',
    headers: { ...pageHeadersSchema, ...nodeHeadersSchema, 'Content-Disposition': { type: 'string' } },
    content: rowsContent({ type: 'object' }),
  },
  304: { description: 'The caller has these rows already', type: 'null' },
} as const;

export const exportSchema = {
  operationId: 'export',
  tags: ['rows'],
  summary: 'Export the rows of a held frame',
  response: rowsResponse,
} as const;

export const readRowsSchema = {
  operationId: 'readRows',
  tags: ['rows'],
  summary: 'Read the rows of a frame',
  params: {
    type: 'object',
    properties: { handle: { type: 'string', description: rowsHandle } },
  },
  response: rowsResponse,
} as const;
