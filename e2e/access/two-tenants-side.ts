import assert from 'node:assert/strict';
import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  ActionSchema,
  CriteriaSchema,
  FlightDescriptor_DescriptorType as DescriptorType,
  FlightDataSchema,
  FlightDescriptorSchema,
  FlightInfoSchema,
  FlightService,
  ResultSchema,
  TicketSchema,
} from '../../server/src/flight/gen/Flight_pb.js';
import * as sql from '../../server/src/flight/gen/FlightSql_pb.js';
import { grpcMessageOf } from '../../server/src/flight/grpc-message.ts';
import { packAny, unpackAny } from '../../server/src/flight/sql/any-message.ts';
import { RawCall } from '../../server/test/flight/raw-call.ts';
import { EventReader } from '../../server/test/support/event-reader.ts';
import { arrowStreamType } from '../../server/test/support/frame-client.ts';
import { PlainClient, type PlainRequest } from '../../server/test/support/plain-request.ts';
import { askPostgres, type BackendKey, cancelPostgres, noKey } from './two-tenants-postgres.ts';
import { foreignHandles, namesOf, nearName, type Step } from './two-tenants-steps.ts';

/** What a tenant was given that the other one could try to use. */
export interface Memory {
  etag: string;
  rowsTag: string;
  cursor: string;
  listCursor: string;
  ticket: Uint8Array;
  prepared: Uint8Array;
  queryId: string;
  versionId: string;
  location: string;
  linkId: string;
  backendKey: BackendKey;
}

export function emptyMemory(): Memory {
  const ticket = packAny(sql.TicketStatementQuerySchema, { statementHandle: Buffer.from('none') });
  return {
    etag: '"none.1"',
    rowsTag: 'W/"none.1.csv-0--"',
    cursor: 'none',
    listCursor: 'none',
    ticket,
    prepared: Buffer.from('none'),
    queryId: 'none',
    versionId: 'none',
    location: '/v1/frames/none',
    linkId: 'none',
    backendKey: noKey,
  };
}

export interface SideOptions {
  readonly http: string;
  readonly grpc: string;
  /** null: nodes behind a balancer, which does not have it. */
  readonly postgresPort: number | null;
  readonly token: string;
  readonly marker: string;
  readonly other: string;
  /** Arrow streams by size; the last one has other columns. */
  readonly bodies: readonly Uint8Array[];
  /** What the other tenant has been given. */
  readonly loot: () => Memory;
}

/** One tenant at one server: carries out steps, and gives every byte that came back. */
export class Side implements Disposable {
  readonly memory = emptyMemory();
  readonly #options: SideOptions;
  readonly #client: PlainClient;
  #said: string[] = [];

  constructor(options: SideOptions) {
    this.#options = options;
    this.#client = new PlainClient(options.http);
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  /** Everything that the server said: status, headers, bodies, trailers; a text for each answer. */
  async take(step: Step): Promise<readonly string[]> {
    this.#said = [];
    await this.#perform(step);
    return this.#said;
  }

  /** All that the tenant has. */
  async everything(): Promise<readonly string[]> {
    this.#said = [];
    await this.#http('/v1/frames?limit=1000');
    await this.#listFlights();
    await this.#tables(true);
    for (const name of namesOf(this.#options.marker)) {
      await this.#http(`/v1/frames/${name}/versions`);
      await this.#http(`/v1/frames/${name}/rows?fmt=csv`);
    }
    return this.#said;
  }

  #name(index: number): string {
    return namesOf(this.#options.marker)[index] ?? '';
  }

  async #perform(step: Step): Promise<void> {
    const { marker, other } = this.#options;
    switch (step.op) {
      case 'put':
        return this.#put(step);
      case 'read':
        return this.#read(step);
      case 'manifest': {
        const path = `/v1/frames/${this.#handle(step)}`;
        const { headers } = await this.#http(path, { method: step.head ? 'HEAD' : 'GET' });
        this.memory.etag = headers.etag ?? this.memory.etag;
        await this.#http(path, { headers: { 'if-none-match': this.memory.etag } });
        return;
      }
      case 'near': {
        const name = nearName(marker, other, step.near);
        if (step.flight) await this.#info({ type: DescriptorType.PATH, path: [name] });
        else await this.#http(`/exec?handle=${name}&fmt=json`);
        return;
      }
      case 'list': {
        const prefix = ['', marker.slice(0, 3), 'co', other.slice(0, 1)][step.prefix] ?? '';
        const { body } = await this.#http(`/v1/frames?prefix=${prefix}&limit=${step.limit}`);
        const { next } = JSON.parse(body.toString()) as { next: string | null };
        if (next === null) return;
        this.memory.listCursor = next;
        await this.#http(`/v1/frames?prefix=${prefix}&limit=${step.limit}&cursor=${next}`);
        return;
      }
      case 'versions':
        if (step.flight) await this.#action('versions', { name: this.#name(step.name) });
        else await this.#http(`/v1/frames/${this.#name(step.name)}/versions`);
        return;
      case 'analysis':
        if (step.version === null) await this.#http(`/v1/frames/${this.#name(step.name)}/diff?from=1`);
        else await this.#http(`/v1/frames/${this.#handle(step)}/statistics`);
        return;
      case 'drop': {
        const headers: Record<string, string> = step.guarded ? { 'if-match': this.memory.etag } : {};
        const query = step.purge ? '?purge=true' : '';
        await this.#http(`/v1/frames/${this.#handle(step)}${query}`, { method: 'DELETE', headers });
        return;
      }
      case 'undrop':
        if (step.flight) await this.#action('undrop', { name: this.#name(step.name) });
        else await this.#http(`/v1/frames/${this.#name(step.name)}/undrop`, { method: 'POST' });
        return;
      case 'restore': {
        const { version, flight } = step;
        const restored = this.#name(step.name);
        if (flight) await this.#action('restore', { name: restored, version });
        else await this.#http(`/v1/frames/${restored}/restore?version=${version}`, { method: 'POST' });
        return;
      }
      case 'expire':
        if (step.flight) await this.#action('expire', { name: this.#name(step.name), ttl: step.ttl });
        else await this.#http(`/v1/frames/${this.#name(step.name)}`, patchOf({ ttl: step.ttl }));
        return;
      case 'sql':
        return this.#sql(this.#statement(step), step.post);
      case 'change':
        if (step.flight) await this.#update(this.#statement(step));
        else await this.#sql(this.#statement(step), true);
        return;
      case 'curious':
        return this.#sql(step.statement, true);
      case 'running':
        return this.#running(step.id);
      case 'flight':
        if (step.verb === 'ListFlights') await this.#listFlights();
        else if (step.verb === 'DoGet') await this.#get(Buffer.from(this.#name(step.name)));
        else await this.#info({ type: DescriptorType.PATH, path: [this.#name(step.name)] });
        return;
      case 'tables':
        return this.#tables(step.includeSchema);
      case 'prepared':
        return this.#prepared(this.#statement({ ...step, near: 0 }));
      case 'kept':
        return this.#kept(step);
      case 'postgres':
        return this.#postgres(step);
      case 'metrics':
        await this.#http('/metrics');
        return;
      case 'events':
        return this.#events();
      case 'sharing':
        return this.#sharing(step);
      case 'trespass':
        return this.#trespass(step);
      case 'loot':
        return this.#useLoot(step);
    }
  }

  /** Saved queries, history and status. Only statements whose rows are always as many are looked for. */
  async #kept({ name, what }: Extract<Step, { op: 'kept' }>): Promise<void> {
    const path = `/v1/saved-queries/${this.#name(name)}`;
    if (what === 'save') {
      const body = JSON.stringify({ sql: `select '${this.#options.marker}'` });
      await this.#http(path, { method: 'PUT', headers: { 'content-type': 'application/json' }, body });
    } else if (what === 'saved') await this.#http('/v1/saved-queries');
    else if (what === 'remove') await this.#http(path, { method: 'DELETE' });
    else if (what === 'history') await this.#http('/v1/history?limit=1000&search=count(*)%20as%20n');
    else if (what === 'clear') await this.#http('/v1/history', { method: 'DELETE' });
    else await this.#http('/v1/status');
  }

  #handle({ name, version }: { readonly name: number; readonly version: number | null }): string {
    return version === null ? this.#name(name) : `${this.#name(name)}@${version}`;
  }

  #statement({
    statement,
    name,
    near,
  }: {
    readonly statement: string;
    readonly name: number;
    readonly near: number;
  }): string {
    const { marker, other } = this.#options;
    return statement
      .replaceAll('$own', this.#name(name))
      .replaceAll('$near', nearName(marker, other, near))
      .replaceAll('$column', `${marker}_column`);
  }

  async #put({ name, size, mode, otherColumns, key, ttl }: Extract<Step, { op: 'put' }>): Promise<void> {
    const { bodies } = this.#options;
    const path = `/v1/frames/${this.#name(name)}${mode === 'append' ? '/rows' : ''}`;
    const { headers } = await this.#http(`${path}${ttl === null ? '' : `?ttl=${ttl}`}`, {
      method: mode === 'append' ? 'POST' : 'PUT',
      headers: {
        'content-type': arrowStreamType,
        ...(mode === 'create' ? { 'if-none-match': '*' } : {}),
        ...(key === null ? {} : { 'idempotency-key': key }),
      },
      body: bodies[otherColumns ? bodies.length - 1 : size - 1] as Uint8Array,
    });
    if (headers.location === undefined) return;
    this.memory.location = new URL(headers.location, this.#options.http).pathname;
    this.memory.etag = headers.etag ?? '';
    this.memory.versionId = this.memory.etag.replace(/^"|\..*$/g, '');
  }

  async #read(step: Extract<Step, { op: 'read' }>): Promise<void> {
    const handle = this.#handle(step);
    const limit = step.limit === null ? '' : `&limit=${step.limit}`;
    const path = {
      exec: `/exec?handle=${handle}&fmt=json${limit}`,
      exp: `/exp?handle=${handle}&fmt=${step.format}${limit}`,
      rows: `/v1/frames/${handle}/rows?fmt=${step.format}${limit}`,
    }[step.route];
    const { headers } = await this.#http(path);
    this.memory.rowsTag = headers.etag ?? this.memory.rowsTag;
    const cursor = headers['framehold-cursor'];
    if (typeof cursor !== 'string') return;
    this.memory.cursor = cursor;
    await this.#http(`/exp?handle=${handle}&fmt=csv${limit}&cursor=${cursor}`);
  }

  async #sql(statement: string, post: boolean): Promise<void> {
    if (!post) await this.#http(`/v1/sql?query=${encodeURIComponent(statement)}`);
    else
      await this.#http('/v1/sql', {
        method: 'POST',
        headers: { 'content-type': 'application/sql' },
        body: statement,
      });
  }

  /** PostgreSQL's protocol. */
  async #postgres({
    text,
    name,
    near,
    foreign,
    isExtended,
  }: Extract<Step, { op: 'postgres' }>): Promise<void> {
    const { postgresPort, token, marker, other } = this.#options;
    if (postgresPort === null) return;
    const statement = text
      .replaceAll('$own', this.#name(name))
      .replaceAll('$near', nearName(marker, other, near))
      .replaceAll('$foreign', foreignHandles(other)[foreign] ?? '');
    const { said, key } = await askPostgres(postgresPort, { token, text: statement, isExtended });
    this.memory.backendKey = key;
    this.#say([said]);
  }

  /** A statement that takes long, under an id that both tenants use: it is listed, it is cancelled, and no other is. */
  async #running(id: string): Promise<void> {
    const statement = `select '${this.#options.marker}', count(*) from range(1000000) a, range(1000000) b`;
    const before = this.#said;
    const ended = this.#http(`/v1/sql?query=${encodeURIComponent(statement)}&id=${id}`);
    this.memory.queryId = id;
    let hasEnded = false;
    const note = () => {
      hasEnded = true;
    };
    ended.then(note, note);
    // Another node may not list it yet, or still list an earlier one.
    for (let isRunning = false; !isRunning && !hasEnded; ) {
      this.#said = [];
      const { body } = await this.#http('/v1/queries');
      const { queries } = JSON.parse(body.toString()) as { queries: { query: string; state: string }[] };
      isRunning = queries.some(({ query, state }) => query === statement && state === 'running');
    }
    await this.#http(`/v1/queries/${id}`, { method: 'DELETE' });
    await ended;
    await this.#http('/v1/queries');
    this.#said = [...before, ...this.#said];
  }

  /** All events so far, without their numbers: at other servers other ones come in between when something has been transcoded. */
  async #events(): Promise<void> {
    const { http, token, other } = this.#options;
    using now = await EventReader.open(http, { token });
    await now.until('hello', (events) => events.length > 0);
    const last = now.lastId ?? 0;
    using all = await EventReader.open(http, { token, after: 0 });
    await all.until('the last', () => (all.lastId ?? 0) >= last);
    const kept = all.events.filter(({ id }) => id !== null && id <= last);
    assert.doesNotMatch(JSON.stringify(all.events), new RegExp(other));
    this.#said.push(
      JSON.stringify(
        kept.filter(({ kind }) => kind !== 'frame.settled').map(({ kind, data }) => [kind, data]),
      ),
    );
  }

  async #prepared(statement: string): Promise<void> {
    const body = packAny(sql.ActionCreatePreparedStatementRequestSchema, { query: statement });
    const call = await this.#call(FlightService.method.doAction, ActionSchema, {
      type: 'CreatePreparedStatement',
      body,
    });
    const [message] = call.messages;
    if (message === undefined) return;
    const result = unpackAny(fromBinary(ResultSchema, message).body);
    const { preparedStatementHandle } = result as unknown as sql.ActionCreatePreparedStatementResult;
    this.memory.prepared = preparedStatementHandle;
    const cmd = packAny(sql.CommandPreparedStatementQuerySchema, { preparedStatementHandle });
    const ticket = await this.#info({ type: DescriptorType.CMD, cmd });
    if (ticket !== null) {
      this.memory.ticket = ticket;
      await this.#get(ticket);
    }
  }

  async #sharing({ name, what }: Extract<Step, { op: 'sharing' }>): Promise<void> {
    if (what === 'shared') await this.#http('/v1/shared');
    else if (what === 'shares') await this.#http(`/v1/frames/${this.#name(name)}/shares`);
    else if (what === 'links') await this.#http(`/v1/frames/${this.#name(name)}/links`);
    else if (what === 'tag') await this.#http(`/v1/frames/${this.#name(name)}/tags/gold`, { method: 'PUT' });
    else if (what === 'tags') await this.#http(`/v1/frames/${this.#name(name)}/tags`);
    else if (what === 'unlink')
      await this.#http(`/v1/frames/${this.#name(name)}/links/${this.memory.linkId}`, { method: 'DELETE' });
    else {
      const path = `/v1/frames/${this.#name(name)}/links?ttl=1h`;
      const { status, body } = await this.#http(path, { method: 'POST' });
      if (status === 201) this.memory.linkId = (JSON.parse(body.toString()) as { id: string }).id;
    }
  }

  /** Asks for a frame of the other tenant, in one of the ways in which there is something to ask for. */
  async #trespass({ foreign, how, own }: Extract<Step, { op: 'trespass' }>): Promise<void> {
    const handles = foreignHandles(this.#options.other);
    const handle = handles[foreign] ?? '';
    const column = `${this.#options.other}_column`;
    const body = this.#options.bodies[0] as Uint8Array;
    const upload = { headers: { 'content-type': arrowStreamType }, body };
    const descriptor = { type: DescriptorType.PATH, path: [handle] };
    const ways: readonly (() => Promise<unknown>)[] = [
      () => this.#http(`/exec?handle=${handle}&fmt=json`),
      () => this.#http(`/exp?handle=${handle}&fmt=csv`),
      () => this.#http(`/v1/frames/${handle}`),
      () => this.#http(`/v1/frames/${handle}`, { method: 'HEAD' }),
      () => this.#http(`/v1/frames/${handle}`, { headers: { 'if-none-match': '*' } }),
      () => this.#http(`/v1/frames/${handle}/rows?limit=1&columns=${column}`),
      () => this.#http(`/v1/frames/${handle}/versions`),
      () => this.#http(`/v1/frames/${handle}/statistics?columns=${column}`),
      () => this.#http(`/v1/frames/${handle}/diff?from=1`),
      () => this.#http(`/v1/frames/${handle}/shares`),
      () => this.#http(`/v1/frames/${handle}/shares/${this.#options.marker}`, { method: 'PUT' }),
      () => this.#http(`/v1/frames/${handle}/links`, { method: 'POST' }),
      () => this.#http(`/v1/frames/${handle}/links`),
      () => this.#http(`/v1/frames/${handle}/links/none`, { method: 'DELETE' }),
      () => this.#http(`/v1/frames/${handle}/tags`),
      () => this.#http(`/v1/frames/${handle}/notes`),
      () => this.#http(`/v1/frames/${handle}/notes`, patchOf({ description: this.#options.marker })),
      () => this.#http(`/v1/frames?search=${this.#options.marker}`),
      () => this.#http(`/v1/frames/${handle}/tags/gold`, { method: 'PUT' }),
      () => this.#http(`/v1/frames/${handle}/tags/gold`, { method: 'DELETE' }),
      () => this.#http(`/v1/frames/${handle.replace(/@.*/, '')}@gold`),
      () => this.#http(`/v1/frames/${handle}`, patchOf({ ttl: '1d' })),
      () => this.#http(`/v1/frames/${handle}`, { method: 'DELETE' }),
      () => this.#http(`/v1/frames/${handle}`, { method: 'DELETE', headers: { 'if-match': '*' } }),
      () => this.#http(`/v1/frames/${handle}?purge=true`, { method: 'DELETE' }),
      () => this.#http(`/v1/frames/${handle}/undrop`, { method: 'POST' }),
      () => this.#http(`/v1/frames/${handle}/restore?version=1`, { method: 'POST' }),
      () => this.#http(`/v1/frames/${handle}/rows`, { method: 'POST', ...upload }),
      () => this.#http(`/v1/frames?prefix=${handle.replace(/@.*/, '')}`),
      () => this.#sql(`select * from "${handle}"`, false),
      () => this.#sql(`explain select "${column}" from "${handle}"`, true),
      () => this.#sql(`describe "${handle}"`, true),
      () => this.#sql(`select * from "${handle}" a, "${this.#name(own)}" b`, true),
      () => this.#sql(`create table "${this.#name(own)}" as select * from "${handle}"`, true),
      () => this.#sql(`insert into "${this.#name(own)}" select * from "${handle}"`, true),
      () => this.#sql(`insert into "${handle}" values (1)`, true),
      () => this.#sql(`drop table "${handle}"`, true),
      () => this.#sql(`drop table if exists "${handle}"`, true),
      () => this.#info(descriptor),
      () => this.#call(FlightService.method.getSchema, FlightDescriptorSchema, descriptor),
      () => this.#get(Buffer.from(handle)),
      () => this.#action('drop', { handle }),
      () => this.#action('undrop', { name: handle }),
      () => this.#action('restore', { name: handle, version: 1 }),
      () => this.#action('versions', { name: handle }),
      () => this.#action('expire', { name: handle, ttl: '1d' }),
      () => this.#action('share', { name: handle, tenant: this.#options.marker }),
      () => this.#action('link', { handle, ttl: '1d' }),
      () => this.#action('links', { name: handle }),
      () => this.#action('unlink', { name: handle, id: 'none' }),
      () => this.#action('tag', { handle, tag: 'gold' }),
      () => this.#action('untag', { name: handle, tag: 'gold' }),
      () => this.#action('tags', { name: handle }),
      () => this.#action('notes', { name: handle }),
      () => this.#action('note', { name: handle, notes: { owner: this.#options.marker } }),
      () => this.#prepared(`select * from "${handle}"`),
      () => this.#update(`drop table "${handle}"`),
    ];
    await ways[how % ways.length]?.();
  }

  /** Uses what the server gave to the other tenant. */
  async #useLoot({ how, own }: Extract<Step, { op: 'loot' }>): Promise<void> {
    const loot = this.#options.loot();
    const name = this.#name(own);
    const { prepared: preparedStatementHandle } = loot;
    const prepared = packAny(sql.CommandPreparedStatementQuerySchema, { preparedStatementHandle });
    const closing = packAny(sql.ActionClosePreparedStatementRequestSchema, { preparedStatementHandle });
    const info = { endpoint: [{ ticket: { ticket: loot.ticket } }] };
    const infoBytes = toBinary(FlightInfoSchema, create(FlightInfoSchema, info));
    const cancelling = packAny(sql.ActionCancelQueryRequestSchema, { info: infoBytes });
    const ways: readonly (() => Promise<unknown>)[] = [
      () => this.#http(`/v1/frames/${name}`, { headers: { 'if-none-match': loot.etag } }),
      () => this.#http(`/exp?handle=${name}&fmt=csv`, { headers: { 'if-none-match': loot.rowsTag } }),
      () => this.#http(`/v1/frames/${name}`, { method: 'DELETE', headers: { 'if-match': loot.etag } }),
      () => this.#http(`/exp?handle=${name}&fmt=csv&limit=2&cursor=${loot.cursor}`),
      () => this.#http(`/v1/frames?cursor=${loot.listCursor}`),
      () => this.#http(`/v1/frames/${name}/versions?cursor=${loot.listCursor}`),
      () => this.#http(`/v1/frames/${name}/links/${loot.linkId}`, { method: 'DELETE' }),
      () => this.#action('unlink', { name, id: loot.linkId }),
      () => this.#http(loot.location),
      () => this.#http(`/exec?handle=f_${loot.versionId}&fmt=json`),
      () => this.#http(`/v1/queries/${loot.queryId}`),
      () => this.#http(`/v1/queries/${loot.queryId}`, { method: 'DELETE' }),
      () => this.#get(loot.ticket),
      () => this.#get(prepared),
      () => this.#info({ type: DescriptorType.CMD, cmd: prepared }),
      () => this.#call(FlightService.method.getSchema, FlightDescriptorSchema, { type: 2, cmd: prepared }),
      () =>
        this.#call(FlightService.method.doAction, ActionSchema, { type: 'CancelQuery', body: cancelling }),
      () =>
        this.#call(FlightService.method.doAction, ActionSchema, {
          type: 'ClosePreparedStatement',
          body: closing,
        }),
      () => this.#cancelPostgres(loot.backendKey),
    ];
    await ways[how % ways.length]?.();
  }

  /** With the key, and by the number in a statement. */
  async #cancelPostgres(key: BackendKey): Promise<void> {
    const { postgresPort, token } = this.#options;
    if (postgresPort === null) return;
    await cancelPostgres(postgresPort, key);
    const text = `select pg_cancel_backend(${key.readInt32BE(0)}), pg_terminate_backend(${key.readInt32BE(0)})`;
    const { said } = await askPostgres(postgresPort, { token, text, isExtended: false });
    this.#say([said]);
  }

  async #listFlights(): Promise<void> {
    await this.#call(FlightService.method.listFlights, CriteriaSchema, {});
  }

  async #tables(includeSchema: boolean): Promise<void> {
    await this.#get(packAny(sql.CommandGetTablesSchema, { includeSchema }));
  }

  async #get(ticket: Uint8Array): Promise<void> {
    await this.#call(FlightService.method.doGet, TicketSchema, { ticket });
  }

  /** The ticket, if there is one. */
  async #info(descriptor: MessageInitShape<typeof FlightDescriptorSchema>): Promise<Uint8Array | null> {
    const call = await this.#call(FlightService.method.getFlightInfo, FlightDescriptorSchema, descriptor);
    const [message] = call.messages;
    if (message === undefined) return null;
    return fromBinary(FlightInfoSchema, message).endpoint[0]?.ticket?.ticket ?? null;
  }

  async #action(type: string, fields: object): Promise<void> {
    const body = Buffer.from(JSON.stringify(fields));
    await this.#call(FlightService.method.doAction, ActionSchema, { type, body });
  }

  async #update(query: string): Promise<void> {
    const cmd = packAny(sql.CommandStatementUpdateSchema, { query });
    const flightDescriptor = { type: DescriptorType.CMD, cmd };
    await this.#call(FlightService.method.doPut, FlightDataSchema, { flightDescriptor });
  }

  /** One message to Flight, and everything that comes back: messages as they are, headers, trailers. */
  async #call<D extends DescMessage>(
    method: { readonly name: string },
    schema: D,
    message: MessageInitShape<D>,
  ): Promise<RawCall> {
    const { grpc, token } = this.#options;
    const path = `/${FlightService.typeName}/${method.name}`;
    const call = new RawCall(grpc, path, { authorization: `Bearer ${token}` });
    call.stream.end(grpcMessageOf(toBinary(schema, create(schema, message))));
    const { date: _, ...status } = await call.status();
    const isInfo = method.name === 'ListFlights' || method.name === 'GetFlightInfo';
    const messages = call.messages.map((bytes) => (isInfo ? infoText(bytes) : bytes.toString('latin1')));
    this.#say([method.name, decodeURIComponent(JSON.stringify(status)), ...messages]);
    return call;
  }

  async #http(path: string, request: PlainRequest = {}) {
    const headers = { ...request.headers, authorization: `Bearer ${this.#options.token}` };
    const answer = await this.#client.ask(path, { ...request, headers });
    const lines = answer.rawHeaders.flatMap((text, index, all) =>
      index % 2 === 0 && !passing.has(text.toLowerCase()) ? [`${text}: ${all[index + 1]}`] : [],
    );
    this.#say([String(answer.status), ...lines, answer.body.toString('latin1')]);
    return answer;
  }

  #say(lines: readonly string[]): void {
    this.#said.push(lines.join('\n'));
  }
}

function patchOf(body: object): PlainRequest {
  return {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** Headers that differ from one time to the next. */
const passing = new Set([
  'date',
  'server-timing',
  'content-length',
  'keep-alive',
  'connection',
  'transfer-encoding',
]);

/** A FlightInfo has its times as numbers: here they are left out. */
function infoText(bytes: Uint8Array): string {
  const { schema, flightDescriptor, endpoint, totalRecords, totalBytes, appMetadata } = fromBinary(
    FlightInfoSchema,
    bytes,
  );
  return [
    Buffer.from(schema).toString('latin1'),
    flightDescriptor?.path.join('/'),
    Buffer.from(flightDescriptor?.cmd ?? []).toString('latin1'),
    ...endpoint.map(({ ticket }) => Buffer.from(ticket?.ticket ?? []).toString('latin1')),
    totalRecords,
    totalBytes,
    Buffer.from(appMetadata).toString(),
  ].join('\n');
}
