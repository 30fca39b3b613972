const tagParameter = {
  type: 'string',
  description: 'a letter, then letters, digits, _ and -; at most 64 in all',
} as const;

const entry = {
  type: 'object',
  properties: {
    tag: { type: 'string' },
    handle: { type: 'string', description: 'the version that it names: name@version' },
    version: { type: 'integer' },
    setAt: { type: 'string', format: 'date-time' },
    setBy: { type: 'string' },
  },
} as const;

export const tagsSchema = {
  operationId: 'listTags',
  tags: ['tags'],
  summary: 'List the tags of a frame, newest version first',
  params: { type: 'object', properties: { handle: { type: 'string', description: 'name' } } },
  response: {
    200: {
      description: 'The tags',
      content: {
        'application/json': {
          schema: { type: 'object', properties: { tags: { type: 'array', items: entry } } },
        },
      },
    },
  },
} as const;

export const setTagSchema = {
  operationId: 'setTag',
  tags: ['tags'],
  summary: 'Give a version a name; a tag that is there is moved',
  description:
    'The version can be read as name@tag from then on, and is kept as long as it has a tag. If-Match takes the ETag of the manifest of name@tag: only if the tag still names that version.',
  params: {
    type: 'object',
    properties: {
      handle: { type: 'string', description: 'name (the newest version), name@version or name@tag' },
      tag: tagParameter,
    },
  },
  response: { 200: { description: 'The tag', content: { 'application/json': { schema: entry } } } },
} as const;

export const untagSchema = {
  operationId: 'removeTag',
  tags: ['tags'],
  summary: 'Remove a tag; the version stays as long as others do',
  params: {
    type: 'object',
    properties: { handle: { type: 'string', description: 'name' }, tag: tagParameter },
  },
  response: { 204: { description: 'Nothing has the tag any more', type: 'null' } },
} as const;
