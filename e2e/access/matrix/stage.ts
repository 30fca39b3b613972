import assert from 'node:assert/strict';
import { join } from 'node:path';
import { linkKeyFile } from '../../../server/src/auth/link-key-file.ts';
import { LinkSigner } from '../../../server/src/auth/link-signer.ts';
import { FakeUpstream } from '../../../server/test/support/fake-upstream.ts';
import { arrowStreamType } from '../../../server/test/support/frame-client.ts';
import { Framehold } from '../../../server/test/support/framehold-process.ts';
import { eventually } from '../../../server/test/support/patience.ts';
import { PlainClient, type TlsFiles } from '../../../server/test/support/plain-request.ts';
import { arrowBytes } from '../../../server/test/support/python.ts';
import { TestCredentials } from '../../../server/test/support/test-credentials.ts';
import {
  type Cell,
  commonFrame,
  type Holder,
  holders,
  isForeign,
  isLink,
  linkedVersion,
  tenants,
  untouched,
} from './cells.ts';

/** In every frame of the owner; no refusal may have it. */
export const hidden = 'hidden_of_the_owner';
/** The name in logs of the caller that prepares frames and looks at them afterwards. */
export const keeper = 'keeper';
/** With whom the asks about sharing share. */
export const extraTenant = 'extra';

type Tenant = keyof typeof tenants;

/** What a cell that was asked for gave. */
export interface Outcome {
  readonly kind: string;
  /** Every text of the answer, if it was refused. */
  readonly text: string;
}

/** A server with the frames that the cells of a matrix are about, and a look at all of them afterwards. */
export class Stage implements AsyncDisposable {
  readonly framehold: Framehold;
  readonly credentials: TestCredentials;
  readonly client: PlainClient;
  /** One row of one column, as every frame of the stage has it, as an Arrow stream. */
  readonly rows: Uint8Array;
  readonly #upstream: FakeUpstream;
  readonly #links: LinkSigner;
  readonly #keepers: Readonly<Record<Tenant, string>>;

  static async start(env: Readonly<Record<string, string>> = {}, tls?: TlsFiles): Promise<Stage> {
    const [upstream, { rows }] = await Promise.all([
      fakeDatabase(),
      arrowBytes({ rows: `pa.table({'${hidden}': ['${hidden} value']})` }),
    ]);
    const framehold = await Framehold.start({ env: { FRAMEHOLD_TSDB_HTTP_URL: upstream.url, ...env } });
    await using started = new AsyncDisposableStack();
    const stage = started.use(new Stage(framehold, upstream, rows, tls));
    await stage.#put('owner', commonFrame);
    await stage.#share(commonFrame, tenants.reader);
    started.move();
    return stage;
  }

  private constructor(framehold: Framehold, upstream: FakeUpstream, rows: Uint8Array, tls?: TlsFiles) {
    this.framehold = framehold;
    this.rows = rows;
    this.#upstream = upstream;
    this.client = new PlainClient(framehold.url, tls);
    this.credentials = new TestCredentials(framehold.dataDirectory);
    this.#links = new LinkSigner(linkKeyFile(join(framehold.dataDirectory, 'links.key')));
    const keeperOf = (tenant: Tenant) =>
      this.credentials.create({ tenant: tenants[tenant], scopes: ['admin'], name: keeper });
    this.#keepers = {
      owner: keeperOf('owner'),
      reader: keeperOf('reader'),
      outsider: keeperOf('outsider'),
    };
  }

  /** A token for each holder that is opened by one. Those that have ended have ended when this is back. */
  async tokens(): Promise<Readonly<Partial<Record<Holder, string>>>> {
    const made: Partial<Record<Holder, string>> = { wrong: `fh_${'a'.repeat(12)}_${'A'.repeat(43)}` };
    const mine = { tenant: tenants.owner, scopes: ['admin'] } as const;
    made.expired = this.credentials.create({ ...mine, ttlMs: 1 });
    const expiresAt = Date.now() + 1;
    made.revoked = this.credentials.create(mine);
    this.credentials.revoke(made.revoked);
    for (const [holder, identity] of Object.entries(holders)) {
      if (identity === null || isLink(holder as Holder)) continue;
      made[holder as Holder] = this.credentials.create({
        tenant: identity.tenant,
        scopes: [...identity.scopes],
        name: holder,
      });
    }
    await eventually('it has expired', () => Date.now() > expiresAt);
    return made;
  }

  /** A link to the cell's frame, at the version that its holder opens. */
  linkFor({ name, holder }: Cell<unknown>): string {
    const expiresAt = Date.now() + 3_600_000;
    return this.#links.sign({ tenant: tenants.owner, name, version: linkedVersion(holder), expiresAt });
  }

  /**
   * Puts a frame for every cell that would change one. If somebody of another tenant asks, that tenant has one of the same name: it must
   * not be the one that changes.
   */
  async prepare(cells: readonly Cell<unknown>[]): Promise<void> {
    const changing = cells.filter(({ ask }) => ask.leaves !== undefined);
    await atOnce(changing, async ({ ask, name, holder }) => {
      if (ask.makes !== true) await this.#put('owner', name);
      if (isForeign(holder)) await this.#put(tenantOf(holder), name);
      if (ask.makes === true) return;
      if (holder === 'shared') await this.#share(name, tenants.reader);
      if (ask.dropped === true) {
        await this.#must('owner', 'DELETE', `/v1/frames/${name}`);
        return;
      }
      if (ask.leaves === `${untouched}`) await this.#share(name, extraTenant);
    });
  }

  /** Each cell gave what is expected, what was refused has changed nothing, and no refusal reveals what it is about. */
  async verify(way: string, cells: readonly Cell<unknown>[], outcomes: ReadonlyMap<string, Outcome>) {
    const wrong = cells.flatMap(({ id, expected }) => {
      const { kind, text } = outcomes.get(id) ?? { kind: 'not asked', text: '' };
      return kind === expected ? [] : [`${id}: ${kind}, not ${expected} ${text.slice(0, 200)}`];
    });
    assert.deepEqual(wrong, [], `${wrong.length} of ${cells.length} cells`);
    for (const { id } of cells) {
      const { kind, text } = outcomes.get(id) as Outcome;
      assert.ok(kind === 'ok' || !text.includes(hidden), `${id} reveals: ${text}`);
    }
    const expected: Record<Tenant, Record<string, string>> = { owner: {}, reader: {}, outsider: {} };
    for (const { ask, name, holder, expected: outcome } of cells) {
      if (ask.leaves === undefined) continue;
      const isAbsent = ask.makes === true || ask.dropped === true;
      const before = isAbsent ? 'absent' : initialState(ask.leaves);
      const after = outcome === 'ok' ? ask.leaves : before;
      if (after !== 'absent') expected.owner[name] = after;
      if (isForeign(holder)) expected[tenantOf(holder)][name] = untouched;
    }
    for (const tenant of Object.keys(expected) as Tenant[]) {
      const actual = await this.#states(tenant, `${way}_`);
      assert.deepEqual(actual, expected[tenant], `the frames of ${tenant}`);
      const common = await this.#states(tenant, commonFrame);
      assert.deepEqual(common, tenant === 'owner' ? { [commonFrame]: untouched } : {});
    }
  }

  /** Names that the server made up for the owner. */
  async mintedNames(): Promise<number> {
    return Object.keys(await this.#states('owner', 'f_')).length;
  }

  /** Lines are written in their order: everything that was answered before this call is in the log when that of another request is. */
  async allIsLogged(): Promise<void> {
    const id = `last-${this.framehold.lines.length}`;
    const headers = { authorization: `Bearer ${this.#keepers.owner}`, 'x-request-id': id };
    await this.client.ask('/v1/frames', { headers });
    await this.framehold.until('the line of a request', () =>
      this.framehold.lines.some((line) => line.includes(`"requestId":"${id}"`)) ? true : null,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]();
    this.credentials[Symbol.dispose]();
    await this.framehold.remove();
    await this.#upstream.stop();
  }

  async #states(tenant: Tenant, prefix: string): Promise<Record<string, string>> {
    const states: Record<string, string> = {};
    for (let cursor = ''; ; ) {
      const page = (await this.#must(tenant, 'GET', `/v1/frames?limit=500&prefix=${prefix}${cursor}`)) as {
        frames: { name: string; version: number; rows: number; expiresAt: string | null }[];
        next: string | null;
      };
      await atOnce(page.frames, async (frame) => {
        const path = `/v1/frames/${frame.name}/shares`;
        const { shares } = (await this.#must(tenant, 'GET', path)) as { shares: string[] };
        states[frame.name] = stateText(frame, shares);
      });
      if (page.next === null) return states;
      cursor = `&cursor=${page.next}`;
    }
  }

  async #put(tenant: Tenant, name: string): Promise<void> {
    await this.#must(tenant, 'PUT', `/v1/frames/${name}`, this.rows);
  }

  async #share(name: string, tenant: string): Promise<void> {
    await this.#must('owner', 'PUT', `/v1/frames/${name}/shares/${tenant}`);
  }

  async #must(tenant: Tenant, method: string, path: string, body?: Uint8Array): Promise<unknown> {
    const headers = {
      authorization: `Bearer ${this.#keepers[tenant]}`,
      ...(body === undefined ? {} : { 'content-type': arrowStreamType }),
    };
    const answer = await this.client.ask(path, { method, headers, ...(body === undefined ? {} : { body }) });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.body.toString()}`);
    return answer.body.length === 0 ? null : JSON.parse(answer.body.toString());
  }
}

/** Work on many things, some of them at a time. */
export async function atOnce<Thing>(
  things: readonly Thing[],
  work: (thing: Thing) => Promise<void>,
): Promise<void> {
  const waiting = things.values();
  const worker = async () => {
    for (const thing of waiting) await work(thing);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

function tenantOf(holder: Holder): Tenant {
  return holder === 'shared' ? 'reader' : 'outsider';
}

/** What ends a share begins with one. */
function initialState(leaves: string): string {
  return leaves === untouched ? `${untouched}, shared with ${extraTenant}` : untouched;
}

function stateText(
  {
    version,
    rows,
    expiresAt,
    versionsKeep,
  }: {
    readonly version: number;
    readonly rows: number;
    readonly expiresAt: string | null;
    readonly versionsKeep?: number;
  },
  shares: readonly string[],
): string {
  const others = shares.filter((tenant) => tenant !== tenants.reader);
  const shared = others.length === 0 ? '' : `, shared with ${others.join(' ')}`;
  const keeps = versionsKeep === undefined ? '' : `, keeps ${versionsKeep}`;
  return `${version} version, ${rows} rows${expiresAt === null ? '' : ', expires'}${keeps}${shared}`;
}

/** As far as reading from it goes: one column, one row, over /exec as JSON and over /exp as Parquet. */
async function fakeDatabase(): Promise<FakeUpstream> {
  const { rows } = await arrowBytes({ rows: "pa.table({'n': pa.array([1], pa.int64())})" }, 'parquet');
  const description = { columns: [{ name: 'n', type: 'LONG' }], dataset: [[1]], count: 1 };
  return FakeUpstream.start(({ head, socket }) => {
    const isExport = head.startsWith('GET /exp');
    const body = isExport ? rows : Buffer.from(JSON.stringify(description));
    const type = isExport ? 'application/vnd.apache.parquet' : 'application/json; charset=utf-8';
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
  });
}
