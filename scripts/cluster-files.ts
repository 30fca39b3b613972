import { allTestFiles, kindOf } from './test-kinds.ts';

const e2e = 'e2e/';

/**
 * End-to-end tests that `.ci/run` runs against three nodes behind a balancer: a file for each way in and each kind of state that nodes share, within
 * about four minutes. `npm run test:nodes` runs every file that can.
 */
const share: readonly string[] = [
  'access/sharing',
  'append-clients',
  'client/frames',
  'decisions/flight',
  'specification/exec-handle',
  'sql/http',
];

const looksInside = 'reads or changes files in the data directory, which has nothing but copies here';
const oneProcess = 'is about one process: its limits, its connections, its memory, its log or its signals';
const open = 'needs an open server, which nodes that share a catalog never are';
const speaksTls = 'is about the listener itself: TLS, its address or its headers, which the balancer hides';
const otherProgram = 'starts no server of its own, or installs one from a package';
const ownCluster = 'starts nodes by itself';
const heardLater =
  'other nodes hear of the end of a statement up to a second later; e2e/cluster stops statements from other nodes';

/** What cannot run against several nodes, and why. A name ending with a slash is a folder. */
const exceptions: Readonly<Record<string, string>> = {
  'cluster/': ownCluster,
  'deploy/': ownCluster,
  'backup/': looksInside,
  'differential/': open,
  'python/': open,
  'loaded-packages': oneProcess,
  'request-time': oneProcess,
  appends: looksInside,
  'crash-failpoints': looksInside,
  forms: looksInside,
  'round-trip': looksInside,
  'files/same-bytes': looksInside,
  'sql/frames-as-tables': looksInside,
  'decisions/management-address': oneProcess,
  'decisions/full-disk': looksInside,
  'events/no-gap': looksInside,
  'trust/content-digest': looksInside,
  'trust/flipped-bits': looksInside,
  'trust/layouts': looksInside,
  'trust/permissions': looksInside,
  'trust/small-disk': looksInside,
  'trust/wide-frames': looksInside,
  'access/attacks': oneProcess,
  'access/audit-log': oneProcess,
  'access/connection-limits': oneProcess,
  'access/first-token': oneProcess,
  'access/fair-tenants': oneProcess,
  'access/found-by-fuzzing': oneProcess,
  'access/found-by-reading': oneProcess,
  'access/fuzz-share': oneProcess,
  'access/exhaustion/grpc-bombs': oneProcess,
  'access/exhaustion/handshake-deadline': speaksTls,
  'access/exhaustion/http-bombs': oneProcess,
  'access/matrix/matrix': oneProcess,
  'access/quotas': 'rates and streams are divided by the number of nodes',
  'access/revoked-while-waiting': oneProcess,
  'access/sequential-callers': open,
  'access/exhaustion/silent-connections': oneProcess,
  'access/exhaustion/slow-proxy-readers': oneProcess,
  'decisions/admission': oneProcess,
  'decisions/beyond': oneProcess,
  'decisions/flight-alignment': 'is about the bytes on the connection; the balancer writes its own',
  'decisions/proxy-faults': oneProcess,
  'decisions/reload': oneProcess,
  'decisions/settings': oneProcess,
  'events/far-behind': oneProcess,
  'events/following': oneProcess,
  'load/': oneProcess,
  prometheus: oneProcess,
  'specification/configuration': oneProcess,
  'specification/limits': oneProcess,
  'sql/cached-answers': oneProcess,
  'sql/cached-answers-fuzz': oneProcess,
  'sql/limits': oneProcess,
  'trust/bombs': oneProcess,
  'trust/spilling': oneProcess,
  'access/browsers': speaksTls,
  'access/cross-site': speaksTls,
  'access/matrix/certificates': speaksTls,
  'access/real-browser': speaksTls,
  'access/tls': speaksTls,
  'access/operators': open,
  'access/ssrf': open,
  'access/tsdb-credentials': open,
  'command-line/': open,
  'console/': open,
  'files/file-readers': open,
  'files/file-routes': open,
  'sql/saved-queries-and-history': open,
  'client/events':
    'starts its server again on the address of the balancer, and waits for statements of its own node',
  'client/installed-client': otherProgram,
  'installed-package': otherProgram,
  readme: otherProgram,
};

/** Single tests that cannot, of files that can. */
export const skippedTests: Readonly<Record<string, string>> = {
  'name@version answers carry Cache-Control: immutable, name answers do not':
    'only an open server lets shared caches keep an answer',
  'an open server refuses links that have ended, too': open,
  'statistics are computed once for a version, also if many ask at once, and after a restart':
    'each node computes what it does not find yet',
  'a statement is stopped by its id, before it has given anything': heardLater,
  'a statement that is stopped while its rows are read is cut, not ended': heardLater,
  'an operator sees tenants and sets their limits':
    'limits that one node sets are known to the others within a second',
  'a URL above http.url_bytes_max is 414, headers above http.header_bytes_max 431': speaksTls,
  'answers 503 to statements for Spark, and says that Spark is meant': 'each node counts its own statements',
  'connects with a user and with a token': open,
  'a user is let in where nobody is asked': open,
  'a key is remembered over kill -9, and forgotten after a day': looksInside,
  'ranges of every type are the rows of a plain read, from Arrow and from Parquet': looksInside,
  'a purge leaves nothing, of a frame that is there and of one that was dropped':
    'nodes keep what was purged for a while; e2e/cluster shows that it goes',
  'what is not HTTP is 400 and closed': speaksTls,
  'a caller who sends all of its body before it reads gets the refusal, not a reset connection': speaksTls,
};

/** The files of `run-tests.ts cluster`. */
export function clusterFiles(): string[] {
  const files = allTestFiles().filter((file) => kindOf(file) === 'e2e');
  return files.filter((file) =>
    process.env.TEST_CLUSTER === 'all' ? exceptionOf(file) === undefined : isInShare(file),
  );
}

/** Why a file cannot run against several nodes; undefined if it can. */
export function exceptionOf(file: string): string | undefined {
  const name = nameOf(file);
  const folder = `${name.split('/')[0]}/`;
  return exceptions[name] ?? (name.includes('/') ? exceptions[folder] : undefined);
}

/** Names on the lists that no file has. */
export function unknownClusterNames(): string[] {
  const names = allTestFiles().map(nameOf);
  return [...share, ...Object.keys(exceptions)].filter(
    (entry) => !names.some((name) => (entry.endsWith('/') ? name.startsWith(entry) : name === entry)),
  );
}

function isInShare(file: string): boolean {
  return share.includes(nameOf(file));
}

function nameOf(file: string): string {
  return file.replace(e2e, '').replace(/\.test\.ts$/, '');
}
