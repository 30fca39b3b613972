import { MemoryQueries } from '../../src/cluster/memory-queries.ts';
import { runningQueriesConformance } from './running-queries-conformance.ts';

runningQueriesConformance('in memory', async () => {
  const queries = new MemoryQueries(Date.now);
  return { views: [queries, queries, queries], async [Symbol.asyncDispose]() {} };
});
