/**
 * From unit costs to a large installation: nodes, PostgreSQL, S3 requests, money. Prints the tables of docs/scale.md.
 * `node bench/scale/arithmetic.ts`
 */
import { type Prices, prices, type UnitCosts, unitCosts } from './unit-costs.ts';

/** What an installation holds and is asked for in a second. */
export interface Demand {
  readonly title: string;
  readonly frames: number;
  readonly bytes: number;
  /** Answers that a node has rendered before. */
  readonly warmReads: number;
  readonly manifests: number;
  readonly flightReads: number;
  readonly puts: number;
  /** Of a Flight read or a put. */
  readonly transferBytes: number;
  /** Of reads, those whose node does not have the object. */
  readonly coldShare: number;
}

export interface Needs {
  readonly nodeCores: number;
  readonly nodes: number;
  readonly networkGigabits: number;
  readonly catalogBytes: number;
  readonly catalogCores: number;
  readonly catalogs: number;
  readonly getsPerSecond: number;
  readonly putsPerSecond: number;
  readonly dollars: Readonly<Record<'storage' | 'requests' | 'nodes' | 'catalogs', number>>;
}

/** Cores of one node, and the share of them that is used on average: the rest is for peaks and for a node that fails. */
const coresOfNode = 8;
const used = 0.5;
/** Of one database server: cores, and bytes of tables that one server keeps, vacuums and restores in hours, not days. */
const coresOfCatalog = 32;
const bytesOfCatalogMax = 2e12;
const secondsOfMonth = 30 * 86_400;
/** Flight bytes leave a node at most at this rate. */
const gigabitsOfNode = 10;

export function needsOf(demand: Demand, costs: UnitCosts, each: Prices): Needs {
  const gigabytes = demand.transferBytes / 1e9;
  const reads = demand.warmReads + demand.flightReads;
  const nodeCores =
    demand.warmReads * costs.warmReadCpu +
    demand.manifests * costs.manifestCpu +
    demand.flightReads * (costs.flightReadCpu + gigabytes * costs.flightReadCpuPerGigabyte) +
    demand.puts * (costs.putCpu + gigabytes * (costs.putCpuPerGigabyte + costs.transcodeCpuPerGigabyte)) +
    reads * demand.coldShare * costs.coldReadCpu;
  const sentBytes = demand.warmReads * costs.warmReadBytes + demand.flightReads * demand.transferBytes;
  const networkGigabits = (8 * (sentBytes + demand.puts * demand.transferBytes)) / 1e9;
  const nodes = Math.ceil(
    Math.max(nodeCores / (coresOfNode * used), networkGigabits / (gigabitsOfNode * used)),
  );
  const lookups = demand.warmReads + demand.manifests + demand.flightReads;
  const catalogCores = lookups * costs.lookupCpu + demand.puts * costs.putCatalogCpu;
  const catalogBytes = demand.frames * costs.catalogBytesPerFrame;
  const catalogs = Math.ceil(
    Math.max(catalogCores / (coresOfCatalog * used), catalogBytes / bytesOfCatalogMax),
  );
  const parts = Math.ceil(demand.transferBytes / costs.uploadPartBytes);
  const uploads = parts === 1 ? 1 : parts + 2;
  const putsPerSecond = demand.puts * (uploads + costs.transcodePuts);
  const getsPerSecond = reads * demand.coldShare + demand.puts * costs.transcodeGets;
  return {
    nodeCores,
    nodes,
    networkGigabits,
    catalogBytes,
    catalogCores,
    catalogs,
    getsPerSecond,
    putsPerSecond,
    dollars: {
      storage: (demand.bytes / 1e9) * each.storageGigabyteMonth,
      requests:
        secondsOfMonth * ((getsPerSecond / 1e3) * each.gets1000 + (putsPerSecond / 1e3) * each.puts1000),
      nodes: nodes * coresOfNode * each.coreHour * (secondsOfMonth / 3_600),
      // A standby for each, and the bytes twice.
      catalogs:
        2 * catalogs * coresOfCatalog * each.coreHour * (secondsOfMonth / 3_600) +
        2 * (catalogBytes / 1e9) * each.diskGigabyteMonth,
    },
  };
}

export const demands: readonly Demand[] = [
  {
    title: '10⁶ frames, 10 TB, 10³/s',
    frames: 1e6,
    bytes: 10e12,
    warmReads: 890,
    manifests: 100,
    flightReads: 9,
    puts: 1,
    transferBytes: 10e6,
    coldShare: 0.05,
  },
  {
    title: '10⁸ frames, 1 PB, 10⁴/s',
    frames: 1e8,
    bytes: 1e15,
    warmReads: 8_900,
    manifests: 1_000,
    flightReads: 90,
    puts: 10,
    transferBytes: 10e6,
    coldShare: 0.05,
  },
  {
    title: '10⁹ frames, 10 PB, 10⁵/s',
    frames: 1e9,
    bytes: 10e15,
    warmReads: 89_000,
    manifests: 10_000,
    flightReads: 900,
    puts: 100,
    transferBytes: 10e6,
    coldShare: 0.05,
  },
];

if (import.meta.main) {
  const rows: readonly (readonly [string, (needs: Needs) => string])[] = [
    ['CPU cores of nodes, busy', ({ nodeCores }) => nodeCores.toFixed(1)],
    ['network of nodes, Gbit/s', ({ networkGigabits }) => networkGigabits.toFixed(1)],
    [`nodes of ${coresOfNode} cores, ${used * 100} % used`, ({ nodes }) => String(nodes)],
    ['catalog, GB', ({ catalogBytes }) => (catalogBytes / 1e9).toFixed(0)],
    ['CPU cores of PostgreSQL, busy', ({ catalogCores }) => catalogCores.toFixed(1)],
    [`databases of ${coresOfCatalog} cores`, ({ catalogs }) => String(catalogs)],
    ['S3 GET per second', ({ getsPerSecond }) => getsPerSecond.toFixed(0)],
    ['S3 PUT per second', ({ putsPerSecond }) => putsPerSecond.toFixed(0)],
    ['storage, $/month', ({ dollars }) => thousands(dollars.storage)],
    ['S3 requests, $/month', ({ dollars }) => thousands(dollars.requests)],
    ['nodes, $/month', ({ dollars }) => thousands(dollars.nodes)],
    ['PostgreSQL with standby, $/month', ({ dollars }) => thousands(dollars.catalogs)],
    [
      'together, $/month',
      ({ dollars }) => thousands(Object.values(dollars).reduce((sum, value) => sum + value, 0)),
    ],
  ];
  const all = demands.map((demand) => needsOf(demand, unitCosts, prices));
  console.log(`| | ${demands.map(({ title }) => title).join(' | ')} |`);
  console.log(`|---|${demands.map(() => '---').join('|')}|`);
  for (const [title, show] of rows) console.log(`| ${title} | ${all.map(show).join(' | ')} |`);
}

/** Two digits are more than the unit costs deserve. */
function thousands(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en-US');
}
