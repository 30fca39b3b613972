import { manifestAnswer, nameParameter } from './frames-schema.ts';

export const expirySchema = {
  operationId: 'setExpiry',
  tags: ['frames'],
  summary: 'Set or clear the time at which a frame expires',
  params: nameParameter,
  consumes: ['application/json', 'application/merge-patch+json'],
  body: {
    type: 'object',
    properties: {
      ttl: {
        type: ['string', 'integer', 'null'],
        description: 'Seconds, or with a unit (12h); null: never.',
      },
      expiresAt: { type: ['string', 'null'], format: 'date-time', description: 'Instead of ttl.' },
    },
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
  },
  response: { 200: manifestAnswer('The expiry is set') },
} as const;
