import { otherVersion } from '../../../model/other-version.ts';
import type { PartRecord } from '../../../model/version.ts';
import type { PartsBetween } from '../../../ports/catalog/versions.ts';
import { frameNotFound } from '../../refusals.ts';
import type { Logs } from './logs.ts';
import type { Names } from './names.ts';
import type { Records } from './records.ts';

/** Its methods that are operations of the catalog. */
export const versionPartOperations = {
  reads: ['parts', 'partsBetween'],
  writes: [],
} as const;

/** A version is the first `count` puts of a log. */
interface LogEnd {
  readonly nameId: number;
  readonly log: number;
  readonly count: number;
}

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

  parts(tenant: string, name: string, version: number, versionId?: string): PartRecord[] {
    const { nameId, log, count } = this.#find(tenant, name, version, versionId);
    return this.#logs.partsOf(nameId, log, count);
  }

  partsBetween(
    tenant: string,
    name: string,
    version: number,
    first: number,
    end: number,
    versionId?: string,
  ): PartsBetween {
    const { nameId, log, count } = this.#find(tenant, name, version, versionId);
    return this.#logs.partsBetween(nameId, log, count, first, end);
  }

  #find(tenant: string, name: string, version: number, versionId?: string): LogEnd {
    const row = this.#names.find(tenant, name);
    if (row?.name !== name) throw frameNotFound(name, version);
    const found = this.#records.row(row.id, version);
    if (!found) throw this.#names.versionAbsence(row, version, null);
    if (versionId !== undefined && versionId !== found.version_id) throw otherVersion(name, version);
    return { nameId: row.id, log: found.log, count: found.part_count };
  }
}
