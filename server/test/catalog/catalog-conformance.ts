import { describe } from 'node:test';
import type { Catalog } from '../../src/ports/catalog/catalog.ts';
import { attemptTests } from './conformance/attempts.ts';
import { commitTests } from './conformance/commits.ts';
import { compactionTests } from './conformance/compactions.ts';
import { damageTests } from './conformance/damage.ts';
import { endingTests } from './conformance/endings.ts';
import { eventTests } from './conformance/events.ts';
import { fileTests } from './conformance/files.ts';
import { garbageTests } from './conformance/garbage.ts';
import { handleTests } from './conformance/handles.ts';
import { idempotencyTests } from './conformance/idempotency.ts';
import { leaseTests } from './conformance/leases.ts';
import { linkTests } from './conformance/links.ts';
import { listingTests } from './conformance/listing.ts';
import { noteTests } from './conformance/notes.ts';
import { partTests } from './conformance/parts.ts';
import { pinTests } from './conformance/pins.ts';
import { queryTests } from './conformance/queries.ts';
import { relationOidTests } from './conformance/relation-oids.ts';
import { restoreTests } from './conformance/restores.ts';
import { rowPositionTests } from './conformance/row-positions.ts';
import { statisticsTests } from './conformance/statistics.ts';
import { tagTests } from './conformance/tags.ts';
import { tenancyTests } from './conformance/tenancy.ts';
import { undropTests } from './conformance/undrops.ts';

/** A fresh, empty catalog; the suite closes it. */
export type MakeCatalog = () => Promise<Catalog>;

/** What every catalog does, whatever it keeps its tables in. */
export function catalogConformance(name: string, makeCatalog: MakeCatalog): void {
  describe(`catalog: ${name}`, () => {
    handleTests(makeCatalog);
    commitTests(makeCatalog);
    attemptTests(makeCatalog);
    idempotencyTests(makeCatalog);
    listingTests(makeCatalog);
    endingTests(makeCatalog);
    restoreTests(makeCatalog);
    undropTests(makeCatalog);
    rowPositionTests(makeCatalog);
    partTests(makeCatalog);
    compactionTests(makeCatalog);
    leaseTests(makeCatalog);
    garbageTests(makeCatalog);
    damageTests(makeCatalog);
    statisticsTests(makeCatalog);
    fileTests(makeCatalog);
    tenancyTests(makeCatalog);
    queryTests(makeCatalog);
    relationOidTests(makeCatalog);
    eventTests(makeCatalog);
    linkTests(makeCatalog);
    pinTests(makeCatalog);
    tagTests(makeCatalog);
    noteTests(makeCatalog);
  });
}
