import { create } from '@bufbuild/protobuf';
import { type Plan, PlanSchema } from './connect/gen/spark/connect/base_pb.js';
import { WriteOperation_SaveMode as SaveMode } from './connect/gen/spark/connect/commands_pb.js';

/** The rows of a statement. Its text came out of the allowlist, with all of its values: there are no parameters for Spark to put in. */
export function queryPlan(text: string): Plan {
  return create(PlanSchema, {
    opType: { case: 'root', value: { relType: { case: 'sql', value: { query: text } } } },
  });
}

/** Readers of the frame hold a row group at a time: Spark's own default, 128 MiB, is much for each of many. */
const rowGroupBytes = 32 * 1024 * 1024;

/** The same rows, written by the workers as Parquet files into a folder that does not exist yet. */
export function writePlan(text: string, address: string): Plan {
  return create(PlanSchema, {
    opType: {
      case: 'command',
      value: {
        commandType: {
          case: 'writeOperation',
          value: {
            input: { relType: { case: 'sql', value: { query: text } } },
            source: 'parquet',
            saveType: { case: 'path', value: address },
            mode: SaveMode.ERROR_IF_EXISTS,
            options: { compression: 'zstd', 'parquet.block.size': `${rowGroupBytes}` },
          },
        },
      },
    },
  });
}
