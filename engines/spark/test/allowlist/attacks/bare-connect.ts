import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { ConnectClient } from '../../../src/connect/connect-client.ts';
import { ConnectError } from '../../../src/connect/connect-error.ts';
import type { ConnectSession } from '../../../src/connect/connect-session.ts';
import { type Plan, PlanSchema } from '../../../src/connect/gen/spark/connect/base_pb.js';
import {
  type Expression,
  Expression_LiteralSchema,
  ExpressionSchema,
} from '../../../src/connect/gen/spark/connect/expressions_pb.js';
import { RelationSchema, SQLSchema } from '../../../src/connect/gen/spark/connect/relations_pb.js';
import type { Literal, Literals } from './attack.ts';

/** What a statement did to a Spark Connect that nothing guards. */
export type Observation =
  | 'reads the file'
  | 'runs a program'
  | 'fetches an address'
  | 'writes files'
  /** It has rows. */
  | 'answers'
  /** It has no rows. */
  | 'runs'
  /** After the time that it was given. */
  | 'runs on'
  | 'fails';

const canary = 'canary-5b1d9e';

/** A session and its views, also on a machine where everything waits for a processor. */
const preparingMs = 300_000;

const view = "create temporary view t as select * from values (1, 'a'), (2, 'b') v(id, name)";

/** Files, an address and a view that a statement has no business with, or may only read. */
export class BareConnect {
  readonly folder: string;
  readonly #client: ConnectClient;
  readonly #listener: Server;
  #fetched = 0;

  private constructor(folder: string, client: ConnectClient) {
    this.folder = folder;
    this.#client = client;
    this.#listener = createServer((socket) => {
      this.#fetched += 1;
      socket.destroy();
    });
  }

  static async open(url: string, folder: string): Promise<BareConnect> {
    const bare = new BareConnect(folder, await ConnectClient.open({ url }));
    await new Promise<void>((resolve) => bare.#listener.listen(0, '127.0.0.1', resolve));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'secret.txt'), `${canary}\n`);
    writeFileSync(join(folder, 'secret.json'), `{"a": "${canary}"}\n`);
    for (const format of ['parquet', 'orc'])
      await bare.try(
        `insert overwrite directory '${folder}/secret.${format}' using ${format} select '${canary}' as a`,
      );
    return bare;
  }

  get port(): number {
    const address = this.#listener.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return address.port;
  }

  /** In a session of its own, with the view `t`. */
  async try(sql: string, literals: Literals = [], timeMs = 60_000): Promise<Observation> {
    const session = this.#client.session();
    try {
      await session.setConfig(
        new Map([['spark.sql.session.timeZone', 'UTC']]),
        AbortSignal.timeout(preparingMs),
      );
      if (/\bt\b/.test(sql)) await session.run(planOf(view), AbortSignal.timeout(preparingMs));
      return await this.#observe(session, planOf(sql, literals), timeMs);
    } finally {
      await session.release();
    }
  }

  /** Several statements in one session, after others that prepare it. */
  async inSession(
    preparing: readonly string[],
    work: (observe: (sql: string, timeMs: number) => Promise<Observation>) => Promise<void>,
  ): Promise<void> {
    const session = this.#client.session();
    try {
      await session.setConfig(
        new Map([['spark.sql.session.timeZone', 'UTC']]),
        AbortSignal.timeout(preparingMs),
      );
      for (const sql of preparing) await session.run(planOf(sql), AbortSignal.timeout(preparingMs));
      await work((sql, timeMs) => this.#observe(session, planOf(sql), timeMs));
    } finally {
      await session.release();
    }
  }

  async #observe(session: ConnectSession, plan: Plan, timeMs: number): Promise<Observation> {
    const before = new Set(readdirSync(this.folder));
    const fetchedBefore = this.#fetched;
    const { rows, leaked, failed } = await outcome(session, plan, timeMs);
    if (existsSync(join(this.folder, 'ran'))) {
      rmSync(join(this.folder, 'ran'));
      return 'runs a program';
    }
    if (leaked) return 'reads the file';
    if (this.#fetched > fetchedBefore) return 'fetches an address';
    const added = readdirSync(this.folder).filter((name) => !before.has(name));
    if (added.length > 0) return 'writes files';
    return failed ?? (rows > 0 ? 'answers' : 'runs');
  }

  async close(): Promise<void> {
    await this.#client.close();
    await new Promise((resolve) => this.#listener.close(resolve));
  }
}

interface Outcome {
  readonly rows: number;
  readonly leaked: boolean;
  readonly failed: 'fails' | 'runs on' | null;
}

async function outcome(session: ConnectSession, plan: Plan, timeMs: number): Promise<Outcome> {
  let rows = 0;
  let leaked = false;
  const late = AbortSignal.timeout(timeMs);
  try {
    for await (const event of session.execute(plan, { signal: late })) {
      if (event.kind !== 'batch') continue;
      rows += Number(event.rows);
      leaked ||= Buffer.from(event.data).includes(canary);
    }
    return { rows, leaked, failed: null };
  } catch (thrown) {
    if (late.aborted) return { rows, leaked, failed: 'runs on' };
    if (!(thrown instanceof ConnectError) || thrown.reason !== 'spark') throw thrown;
    return { rows, leaked: leaked || thrown.message.includes(canary), failed: 'fails' };
  }
}

/** As any client of Spark sends it, with parameters as typed literals. */
export function planOf(query: string, literals: Literals = []): Plan {
  const byName = Array.isArray(literals) ? {} : (literals as Readonly<Record<string, Literal>>);
  const sql = {
    query,
    posArguments: Array.isArray(literals) ? literals.map(expressionOf) : [],
    namedArguments: Object.fromEntries(
      Object.entries(byName).map(([name, literal]) => [name, expressionOf(literal)]),
    ),
  };
  const root = create(RelationSchema, { relType: { case: 'sql', value: create(SQLSchema, sql) } });
  return create(PlanSchema, { opType: { case: 'root', value: root } });
}

function expressionOf(literal: Literal): Expression {
  return create(ExpressionSchema, {
    exprType: { case: 'literal', value: create(Expression_LiteralSchema, literal) },
  });
}
