import type { PartRecord } from '../../../frames/version.ts';
import { frameNotFound } from '../../refusals.ts';
import type { Logs } from './logs.ts';
import type { Names } from './names.ts';
import type { Records } from './records.ts';

/** Its methods that are operations of the catalog. */
export const versionPartOperations = {
  reads: ['parts'],
  writes: [],
} as const;

/** The parts of a version, through the logs that it reads. */
export class VersionParts {
  readonly #names: Names;
  readonly #records: Records;
  readonly #logs: Logs;

  constructor(names: Names, records: Records, logs: Logs) {
    this.#names = names;
    this.#records = records;
    this.#logs = logs;
  }

  parts(tenant: string, name: string, version: number): PartRecord[] {
    const row = this.#names.find(tenant, name);
    if (row?.name !== name) throw frameNotFound(name, version);
    const found = this.#records.row(row.id, version);
    if (!found) throw this.#names.versionAbsence(row, version, null);
    return this.#logs.partsOf(row.id, found.log, found.part_count);
  }
}
