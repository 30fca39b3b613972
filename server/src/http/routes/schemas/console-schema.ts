const contentOf = (mediaType: string) => ({ [mediaType]: { schema: { type: 'string' } } });

export const consoleSchema = {
  operationId: 'console',
  tags: ['console'],
  summary: 'The console, for browsers',
  response: {
    200: {
      description: 'The page',
      headers: { ETag: { type: 'string' } },
      content: contentOf('text/html'),
    },
    304: { description: 'The caller has this page already', type: 'null' },
  },
} as const;

export const assetSchema = {
  operationId: 'consoleAsset',
  tags: ['console'],
  summary: 'A file that the console loads',
  params: {
    type: 'object',
    properties: { file: { type: 'string', description: 'its name, with the hash of its content' } },
  },
  response: { 200: { description: 'The file', content: contentOf('*/*') } },
} as const;
