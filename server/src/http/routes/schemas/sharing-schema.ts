import { text } from '../../request/parameters.ts';
import { framesPage } from './frames-schema.ts';

const nameOnly = { handle: { type: 'string', description: 'name' } } as const;
const nameAndTenant = {
  type: 'object',
  properties: { ...nameOnly, tenant: { type: 'string', description: 'the tenant that may read' } },
} as const;
const shares = {
  200: {
    description: 'The tenants that may read the frame',
    content: {
      'application/json': {
        schema: { type: 'object', properties: { shares: { type: 'array', items: { type: 'string' } } } },
      },
    },
  },
} as const;

export const sharesSchema = {
  operationId: 'listShares',
  tags: ['sharing'],
  summary: 'List the tenants that may read a frame beside its own',
  params: { type: 'object', properties: nameOnly },
  response: shares,
} as const;

export const shareSchema = {
  operationId: 'shareFrame',
  tags: ['sharing'],
  summary: 'Let another tenant read a frame, as tenant:name',
  params: nameAndTenant,
  response: shares,
} as const;

export const unshareSchema = { ...shareSchema, operationId: 'unshareFrame', summary: 'End a share' } as const;

export const linkParameters = {
  ttl: text('ttl', 'Time to live: seconds, or with a unit (1d, at most 30d).'),
};

export const linkSchema = {
  operationId: 'linkFrame',
  tags: ['sharing'],
  summary: 'Make a link that reads one version until it expires or is revoked',
  params: {
    type: 'object',
    properties: { handle: { type: 'string', description: 'name, or name@version' } },
  },
  response: {
    201: {
      description: 'The link: anyone who has it can read',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              handle: { type: 'string' },
              id: { type: 'string', description: 'To revoke it. No secret.' },
              link: { type: 'string' },
              url: { type: 'string' },
              fileUrl: { type: 'string', description: 'The version as a Parquet file.' },
              expiresAt: { type: 'string', format: 'date-time' },
            },
          },
        },
      },
    },
  },
} as const;

const linkEntry = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    handle: { type: 'string' },
    createdAt: { type: 'string', format: 'date-time' },
    createdBy: { type: 'string' },
    expiresAt: { type: 'string', format: 'date-time' },
  },
} as const;

export const linksSchema = {
  operationId: 'listLinks',
  tags: ['sharing'],
  summary: 'List the links to a frame that are in force',
  params: { type: 'object', properties: nameOnly },
  response: {
    200: {
      description: 'The links, newest first; without their secrets',
      content: {
        'application/json': {
          schema: { type: 'object', properties: { links: { type: 'array', items: linkEntry } } },
        },
      },
    },
  },
} as const;

export const unlinkSchema = {
  operationId: 'revokeLink',
  tags: ['sharing'],
  summary: 'Revoke a link',
  params: {
    type: 'object',
    properties: { ...nameOnly, id: { type: 'string', description: 'the id of the link' } },
  },
  response: { 204: { description: 'The link reads nothing any more', type: 'null' } },
} as const;

export const sharedSchema = {
  operationId: 'listShared',
  tags: ['sharing'],
  summary: 'List what other tenants share with this one',
  response: framesPage,
} as const;
