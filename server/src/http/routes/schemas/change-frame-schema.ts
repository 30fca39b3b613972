import { manifestAnswer, nameParameter } from './frames-schema.ts';

export const changeFrameSchema = {
  operationId: 'setExpiry',
  tags: ['frames'],
  summary: 'Set or clear the time at which a frame expires, or how many of its versions are kept',
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
      versionsKeep: {
        type: ['integer', 'null'],
        minimum: 1,
        description: 'Instead of a time: how many versions are kept; null: as many as of other frames.',
      },
    },
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
  },
  response: { 200: manifestAnswer('The frame is changed') },
} as const;
