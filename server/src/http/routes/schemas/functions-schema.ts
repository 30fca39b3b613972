import { engineNames } from '../../../model/engine-name.ts';
import { text } from '../../request/parameters.ts';

export const functionsParameters = {
  engine: text('engine', 'Whose words. Default: duckdb.', { enum: engineNames }),
};

export const functionsSchema = {
  operationId: 'listFunctions',
  tags: ['sql'],
  summary: 'List the functions and keywords of SQL that statements can use',
  response: {
    200: {
      description: 'They change only with the version of the server',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              functions: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: {
                    name: { type: 'string' },
                    kind: { type: 'string', enum: ['scalar', 'aggregate', 'table'] },
                    parameters: {
                      type: 'array',
                      items: { type: 'string' },
                      description: 'Their names, of the form with the most of them.',
                    },
                    description: { type: ['string', 'null'] },
                  },
                },
              },
              keywords: { type: 'array', items: { type: 'string' } },
            },
          },
        },
      },
    },
  },
} as const;
