import { required, text, wholeNumber } from '../../request/parameters.ts';

export const statisticsParameters = {
  columns: text('columns', 'Names of the columns wanted, separated by commas; default: all.'),
};

export const diffParameters = {
  from: required(wholeNumber('from', 'The earlier version.')),
  to: wholeNumber('to', 'The later version; default: that of the handle, or the newest.'),
};

const string = { type: 'string' } as const;
const count = { type: 'integer' } as const;
const textOrNull = { type: 'string', nullable: true } as const;
const countOrNull = { type: 'integer', nullable: true } as const;

const histogram = {
  type: 'object',
  nullable: true,
  description: 'Bins of a range, or the most frequent values.',
  properties: {
    kind: { type: 'string', enum: ['range', 'values'] },
    bins: {
      type: 'array',
      items: { type: 'object', properties: { from: string, to: string, count } },
    },
    values: { type: 'array', items: { type: 'object', properties: { value: string, count } } },
    others: count,
  },
} as const;

const columnStatistics = {
  type: 'object',
  properties: {
    name: string,
    type: string,
    nulls: countOrNull,
    distinct: { ...countOrNull, description: 'An estimate.' },
    min: textOrNull,
    max: textOrNull,
    mean: textOrNull,
    notFinite: { ...count, description: 'Floating-point columns: values that are NaN or infinite.' },
    histogram,
    reason: { ...string, description: 'Why there is no histogram, or nothing at all.' },
  },
} as const;

export const statisticsSchema = {
  operationId: 'readStatistics',
  tags: ['rows'],
  summary: 'Smallest and largest values, nulls, distinct values and histograms of columns',
  params: { type: 'object', properties: { handle: { ...string, description: 'name, or name@version' } } },
  response: {
    200: {
      description: 'The statistics',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { handle: string, rows: count, columns: { type: 'array', items: columnStatistics } },
          },
        },
      },
    },
  },
} as const;

const columns = {
  type: 'array',
  items: { type: 'object', properties: { name: string, type: string } },
} as const;

export const diffSchema = {
  operationId: 'compareVersions',
  tags: ['frames'],
  summary: 'How two versions of a frame differ',
  params: { type: 'object', properties: { handle: { ...string, description: 'name, or name@version' } } },
  response: {
    200: {
      description: 'The differences',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              from: count,
              to: count,
              schema: {
                type: 'object',
                properties: {
                  added: columns,
                  removed: columns,
                  changed: {
                    type: 'array',
                    items: { type: 'object', properties: { name: string, from: string, to: string } },
                  },
                  reordered: { type: 'boolean' },
                },
              },
              rows: {
                type: 'object',
                properties: {
                  kind: { type: 'string', enum: ['same', 'appended', 'compared', 'not_comparable'] },
                  count,
                  offset: count,
                  onlyInFrom: count,
                  onlyInTo: count,
                  inBoth: count,
                  columns: { type: 'array', items: string },
                  reason: string,
                },
              },
            },
          },
        },
      },
    },
  },
} as const;
