import { join } from 'node:path';
import { runPython } from '../../../server/test/support/python.ts';
import type { Cell } from './cells.ts';
import type { FlightHow } from './flight-asks.ts';
import type { Outcome, Stage } from './stage.ts';

type FlightCell = Cell<FlightHow>;

interface FlightAnswer {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** What ListActions gives, if it was asked with a credential (`lister`). */
  readonly actions: readonly string[];
}

/** One Python process with one connection: every call names its caller. */
export async function askFlight(
  stage: Stage,
  cells: readonly FlightCell[],
  secretOf: (cell: FlightCell) => string | undefined,
  lister: string | undefined,
): Promise<FlightAnswer> {
  const request = {
    url: stage.framehold.grpcUrl,
    rows: Buffer.from(stage.rows).toString('base64'),
    lister,
    cells: cells.map((cell) => ({ id: cell.id, how: cell.ask.how(cell.handle), secret: secretOf(cell) })),
  };
  const script = join(import.meta.dirname, 'matrix_flight.py');
  const { outcomes, actions } = (await runPython([script], request)) as {
    outcomes: Record<string, Outcome>;
    actions: string[] | null;
  };
  return { outcomes: new Map(Object.entries(outcomes)), actions: actions ?? [] };
}
