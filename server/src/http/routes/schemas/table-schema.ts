/** The members of a table as JSON, whichever route gives it. */
export const tableProperties = {
  query: { type: 'string' },
  columns: {
    type: 'array',
    items: { type: 'object', properties: { name: { type: 'string' }, type: { type: 'string' } } },
  },
  dataset: { type: 'array', items: { type: 'array', items: {} } },
  count: { type: 'integer' },
} as const;
