const message = {
  type: 'object',
  required: ['jsonrpc'],
  properties: {
    jsonrpc: { type: 'string', enum: ['2.0'] },
    id: { type: ['string', 'integer'] },
    method: { type: 'string' },
    params: { type: 'object' },
  },
} as const;

const answer = {
  type: 'object',
  required: ['jsonrpc', 'id'],
  properties: {
    jsonrpc: { type: 'string', enum: ['2.0'] },
    id: { type: ['string', 'integer', 'null'] },
    result: { type: 'object' },
    error: { type: 'object' },
  },
} as const;

const answers = {
  'application/json': { schema: { anyOf: [answer, { type: 'array', items: answer }] } },
} as const;

export const mcpSchema = {
  operationId: 'mcp',
  tags: ['agents'],
  summary: 'The Model Context Protocol: one message in, its answer out. Reads only',
  consumes: ['application/json'],
  body: {
    content: {
      'application/json': {
        schema: { anyOf: [message, { type: 'array', items: message, minItems: 1, maxItems: 16 }] },
      },
    },
  },
  response: {
    200: { description: 'The answer to a request', content: answers },
    202: { description: 'A notification or a response was taken', type: 'null' },
    400: { description: 'Not a message, or not one of the revision', content: answers },
  },
} as const;
