import { create } from '@bufbuild/protobuf';
import { FrameholdError } from '../../frames/errors.ts';
import type { EngineTable } from '../../frames/ports/engine.ts';
import type { ConnectSession } from './connect/connect-session.ts';
import { PlanSchema } from './connect/gen/spark/connect/base_pb.js';

/** The driver looks at the files of each: a few at a time. */
const createdAtOnce = 4;

/** The tables of a statement as views of its session: the n-th that it names is `fh_<n>`. */
export class StatementViews {
  readonly #tables: readonly EngineTable[];

  /** sql_invalid if one is missing. */
  constructor(names: readonly string[], tables: readonly EngineTable[]) {
    const given = new Map(tables.map((table) => [table.name.toLowerCase(), table]));
    this.#tables = names.map((name) => {
      const table = given.get(name.toLowerCase());
      if (table === undefined) throw new FrameholdError('sql_invalid', `There is no table ${name}.`);
      return table;
    });
  }

  async create(session: ConnectSession, signal: AbortSignal): Promise<void> {
    const waiting = this.#tables.entries();
    await Promise.all(
      Array.from({ length: createdAtOnce }, async () => {
        for (const [index, table] of waiting) await session.run(viewPlan(`fh_${index}`, table), signal);
      }),
    );
  }

  /** An error of Spark about a column that a view leaves out says why it does. */
  explain(error: FrameholdError, _thrown: unknown): FrameholdError {
    return error;
  }
}

function viewPlan(name: string, table: EngineTable) {
  return create(PlanSchema, {
    opType: {
      case: 'command',
      value: {
        commandType: {
          case: 'createDataframeView',
          value: {
            name,
            isGlobal: false,
            replace: false,
            input: {
              relType: {
                case: 'project',
                value: {
                  input: {
                    relType: {
                      case: 'read',
                      value: {
                        readType: {
                          case: 'dataSource',
                          value: { format: 'parquet', paths: [...table.files] },
                        },
                      },
                    },
                  },
                  expressions: [{ exprType: { case: 'unresolvedStar', value: {} } }],
                },
              },
            },
          },
        },
      },
    },
  });
}
