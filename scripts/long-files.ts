/**
 * End-to-end tests that only `npm run test:long` runs, each with what CI has in its place. CI has 40 minutes at most, and its processors are busy all the time: only
 * fewer tests make it shorter.
 */
export const onlyInLongRun: Readonly<Record<string, string>> = {
  'server/test/e2e/access/matrix-certificates.test.ts': 'access/matrix, and auth/',
  'server/test/e2e/access/matrix-jwt.test.ts': 'access/matrix, and auth/jwt-verifier',
  'server/test/e2e/access/revoked-while-waiting.test.ts': 'frames/access/ended-credentials',
  'server/test/e2e/appends.test.ts': 'appends to a log of thousands of parts, in catalog/',
  'server/test/e2e/backup/migrate.test.ts': 'migrate/tables, and the conformance of stores and catalogs',
  'server/test/e2e/cluster/clocks.test.ts': 'postgres/catalog-clock',
  'server/test/e2e/cluster/locality.test.ts': 'frames/locality, flight/frame-locations and row-ranges',
  'server/test/e2e/cluster/lost-commit-replies.test.ts': 'catalog/postgres-lost-answers',
  'server/test/e2e/cluster/restore-guard.test.ts': 'frames/background/restore-guard',
  'server/test/e2e/cluster/settle-races.test.ts': 'two minutes of chaos, which settles all the time',
  'server/test/e2e/cluster/shared-state.test.ts':
    'cluster/shared-queries and cluster/shared-prepared-statements',
  'server/test/e2e/cluster/visibility.test.ts': 'two minutes of chaos, and test:cluster',
  'server/test/e2e/cluster/winners.test.ts': 'two minutes of chaos, and the conformance of catalogs',
  'server/test/e2e/cluster/wrong-bucket.test.ts': 'store/s3/bucket',
  'server/test/e2e/events/far-behind.test.ts': 'readers that are behind, in frames/events',
  'server/test/e2e/load/slow-callers.test.ts':
    'access/http-bombs, access/grpc-bombs, access/slow-proxy-readers',
  'server/test/e2e/trust/layouts.test.ts': 'the layouts of files, in catalog/',
  'server/test/e2e/trust/wide-frames.test.ts': 'ten thousand columns, in settle/ and formats/',
};
