/**
 * The bill of materials of the server package in CycloneDX 1.5, made from package-lock.json alone: the same lock gives the same bytes, so it has
 * neither a serial number nor a time. npm's own `npm sbom --omit dev` leaves out what is also a development dependency (DuckDB, the TOML
 * parser) and names the product after the folder.
 */

interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly cpu?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface PackageLock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const product = 'server';
/** Workspaces whose code, with that of their packages, is inside the product. */
const bundled = ['cli', 'client', 'console', 'engines/spark'];

export function renderSbom(lock: PackageLock): string {
  const reached = reachable(lock);
  const { version = '', license = '' } = packageAt(lock, product);
  // One version may lie in several folders.
  const components = new Map(
    [...reached.keys()].filter((path) => path !== product).map((path) => [referenceOf(lock, path), path]),
  );
  const dependencies = new Map<string, Set<string>>();
  for (const [path, needed] of reached) {
    const reference = referenceOf(lock, path);
    const references = needed.map((each) => referenceOf(lock, each));
    dependencies.set(reference, new Set([...(dependencies.get(reference) ?? []), ...references]));
  }
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': referenceOf(lock, product),
        name: nameOf(lock, product),
        version,
        licenses: licenses(license),
        purl: referenceOf(lock, product),
      },
    },
    components: sorted(components).map(([reference, path]) => componentOf(lock, path, reference)),
    dependencies: sorted(dependencies).map(([ref, needed]) => ({ ref, dependsOn: [...needed].sort() })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Every package that an installation of the product may have, with the packages it needs, by their paths. */
function reachable(lock: PackageLock): Map<string, readonly string[]> {
  return reachableFrom(product, (path) =>
    path === product ? [product, ...bundled].flatMap((each) => usedBy(lock, each)) : neededBy(lock, path),
  );
}

/** What a workspace uses at run time: what npm installs with it, and what the build bundles into it. */
export function dependenciesOf(workspace: {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}): string[] {
  const inBundle = Object.keys(workspace.devDependencies ?? {}).filter((name) => !name.startsWith('@types/'));
  return [...Object.keys(workspace.dependencies ?? {}), ...inBundle];
}

function usedBy(lock: PackageLock, workspace: string): string[] {
  return foundFrom(lock, workspace, dependenciesOf(packageAt(lock, workspace)));
}

/** The packages that a dependency of a workspace brings with it, itself included. Binaries for other platforms count as one. */
export function packagesOf(lock: PackageLock, workspace: string, name: string): string[] {
  const path = resolve(lock, workspace, name);
  if (path === null) throw new Error(`${name} is not in package-lock.json`);
  const paths = [...reachableFrom(path, (each) => neededBy(lock, each)).keys()];
  const isForPlatform = (each: string) => packageAt(lock, each).cpu !== undefined;
  const binary = paths.find(isForPlatform);
  return paths.filter((each) => !isForPlatform(each) || each === binary);
}

function reachableFrom(
  start: string,
  needs: (path: string) => readonly string[],
): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const needed = needs(path);
    found.set(path, needed);
    waiting.push(...needed);
  }
  return found;
}

function neededBy(lock: PackageLock, path: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = packageAt(lock, path);
  return foundFrom(
    lock,
    path,
    Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies }),
  );
}

function foundFrom(lock: PackageLock, path: string, names: readonly string[]): string[] {
  return (
    names
      .map((name) => resolve(lock, path, name))
      // A peer that is optional may not be there. A link is a workspace of ours.
      .filter((each) => each !== null && packageAt(lock, each).link !== true) as string[]
  );
}

/** As Node looks for a package: in the folder of the package that needs it, then further up. */
function resolve(lock: PackageLock, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lock.packages[path] !== undefined) return path;
    if (folder === '') return null;
  }
}

function componentOf(lock: PackageLock, path: string, reference: string) {
  const { version, integrity, license, optional } = packageAt(lock, path);
  return {
    type: 'library',
    'bom-ref': reference,
    name: nameOf(lock, path),
    version,
    scope: optional === true ? 'optional' : 'required',
    ...(integrity === undefined ? {} : { hashes: [hashOf(integrity)] }),
    ...(license === undefined ? {} : { licenses: licenses(license) }),
    purl: reference,
  };
}

function hashOf(integrity: string) {
  const [, content = ''] = /^sha512-(\S+)$/.exec(integrity) ?? [];
  if (content === '') throw new Error(`not a SHA-512: ${integrity}`);
  return { alg: 'SHA-512', content: Buffer.from(content, 'base64').toString('hex') };
}

function licenses(license: string) {
  return [/^[\w.-]+$/.test(license) ? { license: { id: license } } : { expression: license }];
}

function nameOf(lock: PackageLock, path: string): string {
  return packageAt(lock, path).name ?? path.replace(/^.*node_modules\//, '');
}

/** The package's address as package URLs write it, which is unique. */
function referenceOf(lock: PackageLock, path: string): string {
  return `pkg:npm/${nameOf(lock, path).replace('@', '%40')}@${packageAt(lock, path).version}`;
}

function packageAt(lock: PackageLock, path: string): LockedPackage {
  const found = lock.packages[path];
  if (found === undefined) throw new Error(`${path} is not in package-lock.json`);
  return found;
}

/** By code points, whatever the language of the machine. */
function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
