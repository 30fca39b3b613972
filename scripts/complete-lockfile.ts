/**
 * Adds to package-lock.json the optional packages for other platforms that npm left out because its registry did not show them.
 * Without them `npm ci` calls the lock incomplete. Run it after a change of dependencies: `node scripts/complete-lockfile.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface LockEntry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockEntry> };
const added: string[] = [];
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (lock.packages[key] !== undefined) continue;
    lock.packages[key] = platformEntry(name, version, entry.dev === true);
    added.push(name);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added.length} packages added to package-lock.json`);

/** A platform package says in its name where it belongs; that keeps npm from installing it elsewhere. */
function platformEntry(name: string, version: string, dev: boolean): LockEntry {
  const tail = name.split('/').at(-1) ?? name;
  const cpu = processors.find((processor) => tail.includes(`-${processor}`));
  const os = systems.find((system) => tail.includes(system));
  if (cpu === undefined || (os === undefined && cpu !== 'wasm32'))
    throw new Error(`${name} does not say its platform`);
  const libc =
    os !== 'linux' ? undefined : tail.includes('musl') ? 'musl' : tail.includes('gnu') ? 'glibc' : undefined;
  return {
    version,
    cpu: [cpu],
    ...(dev ? { dev: true } : {}),
    ...(libc === undefined ? {} : { libc: [libc] }),
    optional: true,
    ...(os === undefined ? {} : { os: [os] }),
  };
}
