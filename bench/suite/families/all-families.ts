import type { CaseFamily } from '../benchmark-case.ts';
import { exec } from './exec.ts';
import { exp } from './exp.ts';
import { flight } from './flight.ts';
import { postgres } from './postgres.ts';
import { put } from './put.ts';
import { results } from './results.ts';
import { start } from './start.ts';
import { statements } from './statements.ts';
import { transcode } from './transcode.ts';

/** In the order in which they run and are printed. */
export const allFamilies: readonly CaseFamily[] = [
  exec,
  statements,
  put,
  exp,
  flight,
  transcode,
  results,
  postgres,
  start,
];
