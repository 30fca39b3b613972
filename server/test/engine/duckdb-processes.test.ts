import { after } from 'node:test';
import { ProcessEngine } from '../../src/engine/process-engine.ts';
import { removeFolder, temporaryFolder } from '../parts/temporary-folder.ts';
import { engineConformance } from './engine-conformance.ts';

const folders: string[] = [];
after(() => folders.forEach(removeFolder));

engineConformance('DuckDB in processes', (bounds) => {
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
