const limit = (description: string) => ({ type: ['integer', 'null'], description }) as const;

export const limits = {
  type: 'object',
  properties: {
    bytesMax: limit('Bytes held.'),
    framesMax: limit('Frames held.'),
    queriesMax: limit('Statements and queries of the external database that wait or run.'),
    streamsMax: limit('Puts and reads under way.'),
    requestsPerSecond: limit('Requests a second.'),
    requestsBurst: limit('Requests at once after a pause, if requests a second are limited.'),
  },
} as const;

const summary = {
  tenant: { type: 'string' },
  frames: { type: 'integer', description: 'Frames held.' },
  bytes: { type: 'integer', description: 'Bytes held: of all kept versions, as they were put.' },
  requests: {
    type: 'integer',
    description: 'Requests since the server started, over HTTP and Flight, to the node that answers.',
  },
  requestsRefused: { type: 'integer', description: 'Those of them above the limit of requests.' },
  queries: { type: 'integer', description: 'Statements that wait or run now, on all nodes.' },
  streams: { type: 'integer', description: 'Puts and reads under way now, on the node that answers.' },
  node: { type: 'string', description: 'The node that answers. Absent on a server alone.' },
  shares: {
    type: 'object',
    properties: {
      given: { type: 'integer', description: 'Frames shared with other tenants, once for each of these.' },
      received: { type: 'integer', description: 'Frames that other tenants share with this one.' },
    },
  },
  limits: { ...limits, description: 'The limits in force; null: none.' },
  limitsSet: { ...limits, description: 'Those that were set for this tenant.' },
} as const;

const sharedCounts = {
  type: 'array',
  items: {
    type: 'object',
    properties: { tenant: { type: 'string' }, frames: { type: 'integer' } },
  },
} as const;

const detail = {
  200: {
    description: 'The tenant',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            ...summary,
            pinned: {
              type: 'object',
              description: 'Held only because links or jobs name it, as the last sweep found it.',
              properties: { versions: { type: 'integer' }, bytes: { type: 'integer' } },
            },
            stored: {
              type: 'object',
              description: 'Bytes of its objects: as they were put, and their Parquet copies.',
              properties: {
                arrow: { type: 'integer' },
                parquet: { type: 'integer' },
                complete: { type: 'boolean', description: 'false: only 100,000 objects were counted.' },
              },
            },
            sharedWith: sharedCounts,
            sharedBy: sharedCounts,
          },
        },
      },
    },
  },
} as const;

export const listTenantsSchema = {
  operationId: 'listTenants',
  tags: ['tenants'],
  summary: 'List the tenants and what each uses. Needs the scope operator',
  response: {
    200: {
      description: 'A page of tenants, by name',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              tenants: { type: 'array', items: { type: 'object', properties: summary } },
              next: { type: ['string', 'null'], description: 'The cursor of the next page.' },
            },
          },
        },
      },
    },
  },
} as const;

export const tenantSchema = {
  operationId: 'getTenant',
  tags: ['tenants'],
  summary: 'What a tenant uses, its limits and with whom it shares. Needs the scope operator',
  params: { type: 'object', properties: { tenant: { type: 'string' } } },
  response: detail,
} as const;

const limitText = { type: ['integer', 'string', 'null'] } as const;

export const setTenantSchema = {
  operationId: 'setTenantLimits',
  tags: ['tenants'],
  summary:
    "Set limits of a tenant, at once and for good; null goes back to the server's. Needs the scope operator",
  consumes: ['application/json', 'application/merge-patch+json'],
  params: tenantSchema.params,
  body: {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['limits'],
          properties: {
            limits: {
              type: 'object',
              description: 'Numbers, or texts as in the settings ("10GB").',
              properties: Object.fromEntries(Object.keys(limits.properties).map((name) => [name, limitText])),
            },
          },
        },
      },
    },
  },
  response: detail,
} as const;

export const ownTenantSchema = {
  operationId: 'getOwnTenant',
  tags: ['tenants'],
  summary: "What the caller's own tenant uses, and its limits",
  response: detail,
} as const;
