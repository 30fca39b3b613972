import { flag, pageLimit, text } from '../../request/parameters.ts';

/** Of every list. */
export const pageParameters = { limit: pageLimit, cursor: text('cursor') };
export const listParameters = {
  prefix: text('prefix'),
  search: text(
    'search',
    'Only frames whose names or notes contain this text, in any case. A page looks at 5,000 names: it may have few frames, or none, and a next one.',
  ),
  ...pageParameters,
};
export const dropParameters = { purge: flag('purge', 'true: it cannot be undropped.') };

export const manifest = {
  type: 'object',
  properties: {
    handle: { type: 'string' },
    name: { type: 'string' },
    version: { type: 'integer' },
    frameId: { type: 'string' },
    rows: { type: 'integer' },
    bytes: { type: 'integer' },
    parts: { type: 'integer' },
    createdAt: { type: 'string', format: 'date-time' },
    expiresAt: { type: ['string', 'null'], format: 'date-time' },
    versionsKeep: { type: 'integer', description: 'Only if it was set for the name.' },
    origin: { type: 'object' },
    columns: { type: 'array', items: { type: 'object' } },
  },
} as const;

export const manifestAnswer = (description: string) => ({
  description,
  content: { 'application/json': { schema: manifest } },
});

/** What `dry_run=true` finds. */
const inspection = {
  type: 'object',
  required: ['format', 'partial', 'text', 'columns', 'rows', 'rowCount', 'problem'],
  properties: {
    format: { type: 'string', enum: ['csv', 'ndjson', 'json'] },
    partial: { type: 'boolean' },
    text: { type: 'object', description: 'How it was read: charset, delimiter and others.' },
    columns: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, type: { type: 'string' }, why: { type: 'string' } },
      },
    },
    rows: { type: 'array', description: 'The first ones, as they are written.' },
    rowCount: { type: 'integer' },
    problem: {
      type: ['object', 'null'],
      description: 'The first thing that would be refused.',
      properties: { detail: { type: 'string' }, hint: { type: 'string' } },
    },
  },
} as const;

const manifestOrInspection = (description: string) => ({
  description: `${description}; with dry_run=true, what was found`,
  content: { 'application/json': { schema: { anyOf: [manifest, inspection] } } },
});
export const nameParameter = {
  type: 'object',
  properties: { handle: { type: 'string', description: 'name' } },
} as const;
const handleParameter = {
  type: 'object',
  properties: { handle: { type: 'string', description: 'name, or name@version' } },
} as const;

export const uploadParameters = {
  ttl: text('ttl', 'Time to live: seconds, or with a unit (30d).'),
  delimiter: text('delimiter', 'CSV: the character between fields; default: detected in the first 1 MiB.'),
  decimal: text('decimal', 'CSV: the decimal mark, a point or a comma.'),
  thousands: text('thousands', 'CSV: the mark between groups of three digits; none by default.'),
  dates: text('dates', 'CSV: how dates are written, besides ISO 8601: dmy, mdy or ymd.'),
  charset: text(
    'charset',
    'CSV, JSON: utf-8, utf-16, windows-1252 or iso-8859-1; a byte order mark takes precedence.',
  ),
  nullText: text('null', 'CSV: the text that means null; default: an empty field.'),
  dryRun: flag('dry_run', 'CSV, JSON: true to say what was found, and store nothing.'),
  partial: flag('partial', 'With dry_run: the body is the beginning of a file.'),
  types: text('types', 'CSV, NDJSON: a JSON object of column name → SQL type that is forced.'),
};

const binary = { schema: { type: 'string', format: 'binary' } } as const;
const uploadBody = {
  content: {
    'application/vnd.apache.arrow.stream': binary,
    'application/vnd.apache.arrow.file': binary,
    'application/vnd.apache.parquet': binary,
    'text/csv': { schema: { type: 'string' } },
    'text/tab-separated-values': { schema: { type: 'string' } },
    'application/x-ndjson': { schema: { type: 'string' } },
    'application/json': { schema: { type: 'array', items: { type: 'object' } } },
    'multipart/form-data': {
      schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } } },
    },
  },
} as const;

const page = (items: string, item: object = manifest) => ({
  200: {
    description: 'One page',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { [items]: { type: 'array', items: item }, next: { type: ['string', 'null'] } },
        },
      },
    },
  },
});

export const framesPage = page('frames');

export const createFrameSchema = {
  operationId: 'createFrame',
  tags: ['frames'],
  summary: 'Put a frame under a name that the server chooses',
  consumes: Object.keys(uploadBody.content),
  body: uploadBody,
  response: {
    200: {
      description: 'With dry_run=true: what was found',
      content: { 'application/json': { schema: inspection } },
    },
    201: manifestAnswer('The frame is held'),
  },
} as const;

export const putFrameSchema = {
  ...createFrameSchema,
  operationId: 'putFrame',
  summary: 'Put a frame under this name: the first version, or the next one',
  params: nameParameter,
  response: {
    200: manifestOrInspection('The next version is held'),
    201: manifestAnswer('The name is new, its first version is stored'),
  },
} as const;

export const appendRowsSchema = {
  ...createFrameSchema,
  operationId: 'appendRows',
  tags: ['rows'],
  summary: 'Append rows: the next version is the rows before and these',
  params: nameParameter,
  response: { 200: manifestOrInspection('The next version is held') },
} as const;

export const listFramesSchema = {
  operationId: 'listFrames',
  tags: ['frames'],
  summary: 'List the names, each with its newest version',
  response: framesPage,
} as const;

export const versionsSchema = {
  operationId: 'listVersions',
  tags: ['frames'],
  summary: 'List the kept versions of a name, newest first',
  params: nameParameter,
  response: page('versions', {
    ...manifest,
    properties: {
      ...manifest.properties,
      pins: {
        type: 'array',
        description: 'What keeps the version, however many newer ones there are. Absent if nothing does.',
        items: {
          type: 'object',
          properties: {
            by: { type: 'string', enum: ['link', 'tag', 'file', 'statement', 'file-being-made'] },
            count: { type: 'integer' },
            until: {
              type: ['string', 'null'],
              format: 'date-time',
              description: 'null: it does not end by itself.',
            },
          },
        },
      },
    },
  }),
} as const;

export const manifestSchema = {
  operationId: 'getFrame',
  tags: ['frames'],
  summary: 'The manifest of a frame',
  params: handleParameter,
  response: { 200: manifestAnswer('The manifest') },
} as const;

export const dropSchema = {
  operationId: 'dropFrame',
  tags: ['frames'],
  summary: 'Drop a name with all its versions, or one version',
  params: handleParameter,
  response: { 204: { description: 'Dropped', type: 'null' } },
} as const;
