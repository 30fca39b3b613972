import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Expression_LiteralSchema } from '../../../src/connect/gen/spark/connect/expressions_pb.js';
import type { Observation } from './bare-connect.ts';

export type Literal = MessageInitShape<typeof Expression_LiteralSchema>;

/** Parameters by position or by name. */
export type Literals = readonly Literal[] | Readonly<Record<string, Literal>>;

/**
 * A statement that must not reach Spark, and what it does to a Spark Connect without an allowlist. `@DIR@` is a folder with secrets, `@PORT@` a port on which
 * somebody listens, `t` a view.
 */
export type Attack = readonly [sql: string, bare: Observation];

export function inPlace(sql: string, folder: string, port: number): string {
  return sql.replaceAll('@DIR@', folder).replaceAll('@PORT@', `${port}`);
}
