import { isConsoleBuilt } from '../../../server/test/support/built-console.ts';
import { arrowStreamType } from '../../../server/test/support/frame-client.ts';
import type { PlainRequest } from '../../../server/test/support/plain-request.ts';
import { type Ask, untouched, withoutRows } from './cells.ts';
import { extraTenant } from './stage.ts';

/** A request, as OpenAPI names its route and with what is particular in this cell. */
export interface HttpHow {
  readonly route: string;
  readonly path: (handle: string) => string;
  /** `rows` is a body to send. */
  readonly request?: (handle: string, rows: Uint8Array) => PlainRequest;
}

type HttpAsk = Ask<HttpHow>;
type Options = Omit<HttpAsk, 'title' | 'needs' | 'how'>;

const read = [
  ['frame.describe', 'frame'],
  ['frame.read', 'frame'],
] as const;
const upload = (_handle: string, rows: Uint8Array) => ({
  headers: { 'content-type': arrowStreamType },
  body: rows,
});
/** Of one's own names. */
const own = { foreign: 'bad_handle' } as const;

function ask(
  route: string,
  needs: HttpAsk['needs'],
  options: Options & {
    readonly path?: HttpHow['path'];
    readonly request?: HttpHow['request'];
    readonly note?: string;
  } = {},
): HttpAsk {
  const { path, request, note, ...rest } = options;
  const [method = '', template = ''] = route.split(' ');
  const how = {
    route,
    path: path ?? ((handle: string) => template.replace('{handle}', handle)),
    request: (handle: string, rows: Uint8Array) => ({ method, ...request?.(handle, rows) }),
  };
  return { title: note === undefined ? route : `${route} (${note})`, needs, how, ...rest };
}

function post(note: string, needs: HttpAsk['needs'], sql: (handle: string) => string, options: Options = {}) {
  const request = (handle: string) => ({
    headers: { 'content-type': 'application/sql' },
    body: sql(handle),
  });
  return ask('POST /v1/sql', needs, { note, request, ...options });
}

/** Every route, some of them with several things to ask; and every kind of statement. */
export const httpAsks: readonly HttpAsk[] = [
  ask('GET /ping', 'open'),
  ask('GET /healthz', 'open'),
  ask('GET /readyz', 'open'),
  ask('GET /', 'open', isConsoleBuilt ? {} : { answer: 'route_not_found' }),
  ask('GET /assets/{file}', 'open', { path: () => '/assets/none.js', answer: 'route_not_found' }),
  ask('GET /metrics', [['metrics.read']]),
  ask('GET /v1/openapi.json', [['server.describe']]),
  ask('GET /exec', read, { note: 'handle', path: (handle) => `/exec?handle=${handle}&fmt=json` }),
  ask('GET /exec', [['tsdb.query']], { note: 'query', path: () => '/exec?query=select%201&fmt=json' }),
  ask('GET /exp', read, { path: (handle) => `/exp?handle=${handle}&fmt=csv` }),
  ask('GET /v1/frames', [['frame.list']]),
  ask('POST /v1/frames', [['frame.put']], { request: upload }),
  ask('GET /v1/frames/{handle}', [['frame.describe', 'frame']]),
  ask('GET /v1/frames/{handle}', [['frame.describe', 'frame']], {
    note: 'HEAD',
    request: () => ({ method: 'HEAD' }),
  }),
  ask('PUT /v1/frames/{handle}', [['frame.put', 'frame']], {
    ...own,
    request: upload,
    leaves: '2 version, 1 rows',
  }),
  ask('PUT /v1/frames/{handle}', [['frame.inspect', 'frame']], {
    ...own,
    note: 'dry run',
    path: (handle) => `/v1/frames/${handle}?dry_run=true`,
    request: () => ({ headers: { 'content-type': 'text/csv' }, body: 'a,b\n1,2\n' }),
  }),
  ask('PATCH /v1/frames/{handle}', [['frame.expire', 'frame']], {
    ...own,
    request: () => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ttl: '1d' }),
    }),
    leaves: `${untouched}, expires`,
  }),
  ask('PATCH /v1/frames/{handle}', [['frame.keep', 'frame']], {
    ...own,
    note: 'versions',
    request: () => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ versionsKeep: 3 }),
    }),
    leaves: `${untouched}, keeps 3`,
  }),
  ask('DELETE /v1/frames/{handle}', [['frame.drop', 'frame']], { leaves: 'absent' }),
  ask('DELETE /v1/frames/{handle}', [['frame.drop', 'frame']], {
    note: 'purge',
    path: (handle) => `/v1/frames/${handle}?purge=true`,
    leaves: 'absent',
  }),
  ask('POST /v1/frames/{handle}/restore', [['frame.restore', 'frame']], {
    ...own,
    path: (handle) => `/v1/frames/${handle}/restore?version=1`,
    leaves: '2 version, 1 rows',
  }),
  ask('POST /v1/frames/{handle}/undrop', [['frame.undrop', 'frame']], {
    ...own,
    dropped: true,
    leaves: untouched,
  }),
  ask('GET /v1/frames/{handle}/versions', [['frame.versions', 'frame']], own),
  ask('GET /v1/frames/{handle}/statistics', [
    ['frame.describe', 'frame'],
    ['frame.statistics', 'frame'],
  ]),
  ask(
    'GET /v1/frames/{handle}/diff',
    [
      ['frame.describe', 'frame'],
      ['frame.diff', 'frame'],
    ],
    { path: (handle) => `/v1/frames/${handle}/diff?from=1` },
  ),
  ask('GET /v1/frames/{handle}/rows', read),
  ask('GET /v1/frames/{handle}/rows', read, { note: 'HEAD', request: () => ({ method: 'HEAD' }) }),
  ask('GET /v1/files/{file}', read, { path: (handle) => `/v1/files/${handle}.parquet` }),
  ask('GET /v1/files/{file}', read, {
    note: 'HEAD',
    path: (handle) => `/v1/files/${handle}.parquet`,
    request: () => ({ method: 'HEAD' }),
  }),
  ask('GET /v1/files/{file}', read, { note: 'csv', path: (handle) => `/v1/files/${handle}.csv` }),
  ask('POST /v1/frames/{handle}/rows', [['frame.append', 'frame']], {
    ...own,
    request: upload,
    leaves: '2 version, 2 rows',
  }),
  ask('GET /v1/shared', [['frame.shared-with-me']]),
  ask('GET /v1/frames/{handle}/shares', [['frame.shares', 'frame']], own),
  ask('PUT /v1/frames/{handle}/shares/{tenant}', [['frame.share', 'frame']], {
    ...own,
    path: (handle) => `/v1/frames/${handle}/shares/${extraTenant}`,
    leaves: `${untouched}, shared with ${extraTenant}`,
  }),
  ask('DELETE /v1/frames/{handle}/shares/{tenant}', [['frame.unshare', 'frame']], {
    ...own,
    path: (handle) => `/v1/frames/${handle}/shares/${extraTenant}`,
    leaves: untouched,
  }),
  ask('POST /v1/frames/{handle}/links', [['frame.link', 'frame']], { foreign: 'bad_request' }),
  ask('GET /v1/frames/{handle}/links', [['frame.links', 'frame']], own),
  ask('DELETE /v1/frames/{handle}/links/{id}', [['frame.unlink', 'frame']], {
    ...own,
    path: (handle) => `/v1/frames/${handle}/links/none`,
    answer: 'link_not_found',
  }),
  ask('GET /v1/frames/{handle}/tags', [
    ['frame.describe', 'frame'],
    ['frame.tags', 'frame'],
  ]),
  ask('GET /v1/frames/{handle}/notes', [
    ['frame.describe', 'frame'],
    ['frame.notes', 'frame'],
  ]),
  ask('PATCH /v1/frames/{handle}/notes', [['frame.note', 'frame']], {
    ...own,
    request: () => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ owner: 'Ann' }),
    }),
  }),
  ask('PUT /v1/frames/{handle}/tags/{tag}', [['frame.tag', 'frame']], {
    path: (handle) => `/v1/frames/${handle}/tags/gold`,
    foreign: 'bad_request',
  }),
  ask('DELETE /v1/frames/{handle}/tags/{tag}', [['frame.untag', 'frame']], {
    ...own,
    path: (handle) => `/v1/frames/${handle}/tags/none`,
    answer: 'tag_not_found',
  }),
  ask('GET /v1/sql', [['sql.query'], ['frame.describe', 'frame']], {
    path: (handle) => `/v1/sql?query=${encodeURIComponent(`select * from "${handle}"`)}`,
  }),
  ask('GET /v1/sql', [['sql.explain'], ['frame.describe', 'frame']], {
    note: 'explain',
    path: (handle) => `/v1/sql?query=${encodeURIComponent(`explain select * from "${handle}"`)}`,
  }),
  post('query', [['sql.query'], ['frame.describe', 'frame']], (handle) => `select * from "${handle}"`),
  post('tsdb', [['sql.query'], ['tsdb.query']], () => "select * from tsdb('select 1 n')"),
  post(
    'create',
    [['sql.create'], ['frame.put', 'frame']],
    (handle) => `create table "${handle}" as select 1 as n`,
    { ...own, makes: true, leaves: untouched },
  ),
  post(
    'create of columns',
    [['sql.create'], ['frame.put', 'frame']],
    (handle) => `create table "${handle}" (n integer)`,
    { ...own, makes: true, leaves: withoutRows },
  ),
  post(
    'insert',
    [['sql.insert'], ['frame.append', 'frame']],
    (handle) => `insert into "${handle}" values ('x')`,
    { ...own, leaves: '2 version, 2 rows' },
  ),
  post(
    'comment',
    [['sql.comment'], ['frame.note', 'frame']],
    (handle) => `comment on table "${handle}" is 'said'`,
    own,
  ),
  post(
    'drop',
    [['sql.drop'], ['frame.describe', 'frame'], ['frame.drop', 'frame']],
    (handle) => `drop table "${handle}"`,
    { leaves: 'absent' },
  ),
  ask('POST /v1/sql', [['sql.query'], ['frame.put', 'frame']], {
    ...own,
    note: 'into',
    request: (handle) => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sql: 'select 1 as n', into: handle }),
    }),
    makes: true,
    leaves: untouched,
  }),
  ask('GET /v1/queries', [['query.list']]),
  ask('GET /v1/queries/{id}', [['query.list']], {
    path: () => '/v1/queries/none',
    answer: 'query_not_found',
  }),
  ask('DELETE /v1/queries/{id}', [['query.cancel']], {
    path: () => '/v1/queries/none',
    answer: 'query_not_found',
  }),
  ask('GET /v1/functions', [['function.list']]),
  ask('GET /v1/saved-queries', [['saved.list']]),
  ask('PUT /v1/saved-queries/{name}', [['saved.save']], {
    path: () => '/v1/saved-queries/a%20query',
    request: () => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sql: 'select 1' }),
    }),
  }),
  ask('DELETE /v1/saved-queries/{name}', [['saved.remove']], {
    path: () => '/v1/saved-queries/none',
    answer: 'query_not_found',
  }),
  ask('GET /v1/history', [['history.list']]),
  ask('DELETE /v1/history', [['history.clear']]),
  ask('GET /v1/status', [['server.status']]),
  // GET would not end.
  ask('GET /v1/events', [['events.read']], { note: 'HEAD', request: () => ({ method: 'HEAD' }) }),
  ask('GET /v1/tenant', [['tenant.usage']]),
  ask('GET /v1/tenants', [['tenant.list']]),
  ask('PATCH /v1/tenants/{tenant}', [['tenant.set']], {
    path: () => `/v1/tenants/${extraTenant}`,
    request: () => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ limits: { framesMax: 5 } }),
    }),
  }),
  ask('GET /v1/tenants/{tenant}', [['tenant.show']], { path: () => `/v1/tenants/${extraTenant}` }),
];
