const nullableText = { type: ['string', 'null'] } as const;

const notes = {
  type: 'object',
  properties: {
    description: nullableText,
    owner: nullableText,
    labels: { type: 'array', items: { type: 'string' } },
    columns: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: {
          comment: nullableText,
          unit: { ...nullableText, description: 'Of its values: USD, m/s.' },
        },
      },
    },
  },
} as const;

const answer = {
  200: {
    description: 'The notes',
    headers: { ETag: { schema: { type: 'string' } } },
    content: { 'application/json': { schema: notes } },
  },
} as const;

export const notesSchema = {
  operationId: 'getNotes',
  tags: ['notes'],
  summary: 'What people say of a frame and its columns',
  params: { type: 'object', properties: { handle: { type: 'string', description: 'name' } } },
  response: answer,
} as const;

export const changeNotesSchema = {
  operationId: 'changeNotes',
  tags: ['notes'],
  summary:
    'Change what is said of a frame: members that are given replace those that are there, null removes them',
  params: { type: 'object', properties: { handle: { type: 'string', description: 'name' } } },
  consumes: ['application/json', 'application/merge-patch+json'],
  body: notes,
  response: answer,
} as const;
