import { engineNames } from '../../../model/engine-name.ts';
import { limits } from './tenants-schema.ts';

const count = (description: string) => ({ type: 'integer', description }) as const;

export const statusSchema = {
  operationId: 'status',
  tags: ['operations'],
  summary:
    'The server as the caller sees it. Any valid credential is enough; what is about the tenant needs the scope read',
  response: {
    200: {
      description: 'The status',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['version', 'startedAt', 'ready', 'open', 'tsdb', 'engines', 'flight', 'caller'],
            properties: {
              version: { type: 'string' },
              startedAt: { type: 'string', format: 'date-time' },
              ready: { type: 'boolean', description: 'As /readyz answers.' },
              open: { type: 'boolean', description: 'No credential is needed: everybody may do everything.' },
              closeCommand: {
                type: 'string',
                description:
                  'Only if it is open: the command that makes the first token, which closes the server.',
              },
              tsdb: { type: 'boolean', description: 'An external database is configured.' },
              engines: {
                type: 'array',
                items: { type: 'string', enum: engineNames },
                description: "What can run the statements of the caller's tenant, the default first.",
              },
              flight: {
                type: ['string', 'null'],
                description: 'Where clients of Arrow Flight connect; null if it is a unix socket.',
              },
              caller: {
                type: 'object',
                properties: {
                  tenant: { type: ['string', 'null'], description: 'null for an operator.' },
                  name: { type: 'string' },
                  scopes: { type: 'array', items: { type: 'string' } },
                },
              },
              settling: {
                type: 'object',
                description:
                  'Parts that have no Parquet form yet. The 10,000 oldest of the server are looked at.',
                properties: { parts: count('How many.'), bytes: count('Their size as Arrow.') },
              },
              storage: {
                type: 'object',
                properties: {
                  frames: count('Frames held.'),
                  bytes: count('Bytes held: of all kept versions, as they were put.'),
                  bytesMax: { type: ['integer', 'null'], description: 'The limit; null: none.' },
                  pinned: {
                    type: 'object',
                    description:
                      'Held only because links or jobs name it, as the last sweep found it. Its bytes are among those above.',
                    properties: {
                      versions: count('How many versions.'),
                      bytes: count('Bytes that no other version needs.'),
                      frames: {
                        type: 'array',
                        description: 'At most 20, those with most bytes first.',
                        items: {
                          type: 'object',
                          properties: {
                            name: { type: 'string' },
                            versions: count('How many of its versions.'),
                            bytes: count('Bytes that no other version needs.'),
                            until: {
                              type: ['string', 'null'],
                              format: 'date-time',
                              description: 'When the first of them may end; null: none ends by itself.',
                            },
                          },
                        },
                      },
                    },
                  },
                },
              },
              statements: {
                type: 'object',
                description: 'Of the tenant.',
                properties: {
                  waiting: count('Statements that wait for a slot in the engine.'),
                  running: count('Statements that run.'),
                },
              },
              limits: { ...limits, description: 'The limits in force; null: none.' },
            },
          },
        },
      },
    },
  },
} as const;
