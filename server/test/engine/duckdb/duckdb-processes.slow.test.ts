import { after } from 'node:test';
import { ProcessEngine } from '../../../src/engine/process-engine.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { engineConformance } from '../engine-conformance.ts';
import type { EngineDialect } from '../engine-dialect.ts';

const duckdbDialect: EngineDialect = {
  offers: { changes: true, upstream: true, fileOrder: true, parameterTypes: true, memoryLimit: true },
  longQuery: 'SELECT sum(sin(a.range * b.range)) AS s FROM range(1000000) a, range(1000000) b',
  endlessRows: 'SELECT range AS i FROM range(1000000000000)',
  manyRows: 'SELECT range AS i FROM range(2000000)',
  manyRowsMs: 2_000,
  failsLate:
    "SELECT CAST(CASE WHEN range = 900000 THEN 'x' ELSE '1' END AS INTEGER) AS n FROM range(1000000)",
  failsInTable:
    "SELECT CASE WHEN id = 90000 THEN 'x' ELSE id::VARCHAR END::BIGINT AS n FROM numbers WHERE id >= 0",
  needsMemory: 'SELECT length(list(range)::VARCHAR) AS n FROM range(100000000)',
  parameter: (number) => `$${number}`,
  namedParameters: 'SELECT $a::INTEGER + $b::INTEGER AS c',
  upstreamTwice: "SELECT * FROM tsdb('select x') a JOIN tsdb('select x') b USING (id)",
  // Many small steps: the engine works out how far it is between them.
  readsForAWhile:
    'SELECT sum(list_sum(list_transform(range(100), x -> sin(id * x)))) AS s FROM (SELECT id, unnest(range(10)) FROM numbers)',
  stopMs: 2_000,
  refused: ["COPY people TO '/tmp/x'", "ATTACH '/tmp/x'", 'SET threads = 8'],
};

const folders: string[] = [];
after(() => folders.forEach(removeFolder));

engineConformance('DuckDB in processes', duckdbDialect, (bounds) => {
  const tempDirectory = temporaryFolder('duckdb');
  folders.push(tempDirectory);
  return ProcessEngine.open({
    processesMax: bounds.places,
    threads: 2,
    memoryBytes: bounds.memoryBytes,
    reserveBytes: () => 0,
    tempBytesMax: 1024 ** 3,
    tempDirectory,
    analyticsPath: null,
    timeoutMs: bounds.timeoutMs,
    queueMax: bounds.queueMax,
    queueWaitMs: bounds.queueWaitMs,
    observe: () => {},
  });
});
