import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { databaseOptions } from '../compose/catalog-database.ts';
import { dataPaths } from '../compose/data-paths.ts';
import type { Settings } from '../config/settings.ts';
import { FrameholdError } from '../model/errors.ts';
import type { ClusterIdentity } from '../ports/cluster-identity.ts';
import type { DatabaseOptions } from '../postgres/database.ts';
import { examineBucket } from './doctor-bucket.ts';
import { clockFinding, type Finding, found, problem, warning } from './finding.ts';

/** What `framehold doctor` can say of a server's data without changing anything, whether a server runs on it or not. */
export async function examineData(settings: Settings): Promise<readonly Finding[]> {
  const { directory } = dataPaths(settings);
  const isNew = !existsSync(directory);
  const options = databaseOptions(settings);
  return [
    isNew ? examineNewDirectory(directory) : examineDirectory(settings, directory),
    await examineDisk(settings, isNew ? existingParent(directory) : directory),
    ...(options === null ? await examineCatalog(settings) : await examineShared(settings, options)),
  ];
}

function examineNewDirectory(directory: string): Finding {
  const parent = existingParent(directory);
  if (isWritable(parent)) return found('data directory', `${directory} will be made at the first start`);
  return problem(
    'data directory',
    `${directory} does not exist, and this user cannot make it in ${parent}.`,
    'Make it and give it to the user of the server, or choose another with --data-dir.',
  );
}

function examineDirectory(settings: Settings, directory: string): Finding {
  const { mode, uid } = statSync(directory);
  if (!statSync(directory).isDirectory())
    return problem('data directory', `${directory} is not a directory.`, 'Choose another with --data-dir.');
  if (!isWritable(directory))
    return problem(
      'data directory',
      `This user cannot write to ${directory}, which belongs to user ${uid}.`,
      'Run as the user of the server, or change the owner with chown.',
    );
  const forOthers = settings['storage.permissions'] === 'group' ? 0o027 : 0o077;
  if ((mode & forOthers) !== 0)
    return warning(
      'data directory',
      `Other users can access ${directory} (mode ${(mode & 0o777).toString(8)}).`,
      `The server closes it when it starts; or run chmod go-rwx ${directory}.`,
    );
  return found('data directory', `${directory} is writable, and closed to others`);
}

async function examineDisk(settings: Settings, directory: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const reserve = settings['storage.reserve_bytes'];
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  const detail = `${gigabytes(free)} free, ${gigabytes(reserve)} of them reserved (storage.reserve_bytes)`;
  if (free < reserve)
    return problem('disk', `${detail}: puts are refused.`, 'Free space, drop frames, or use a larger disk.');
  if (free < 2 * reserve) return warning('disk', `${detail}.`, 'Puts will soon be refused: free some space.');
  return found('disk', detail);
}

async function examineCatalog(settings: Settings): Promise<readonly Finding[]> {
  const { catalog } = dataPaths(settings);
  if (!existsSync(catalog)) return [found('catalog', 'none yet')];
  try {
    const { integrityBesideServer } = await import('../catalog/sqlite/integrity/integrity-beside-server.ts');
    const opened = integrityBesideServer(catalog);
    try {
      const damage = await opened.knownDamage();
      if (damage.length > 0)
        return [
          warning(
            'catalog',
            `${damage.length} stored objects are known to be damaged.`,
            'framehold verify names their frames.',
          ),
        ];
    } finally {
      opened.close();
    }
  } catch (error) {
    return [
      problem(
        'catalog',
        textOf(error),
        hintOf(error) ?? 'framehold verify checks it; restore a backup if it is damaged.',
      ),
    ];
  }
  // A clock that was set back makes frames expire late, and new credentials invalid.
  const aheadMs = Date.now() - statSync(catalog).mtimeMs;
  return [
    found('catalog', 'opens'),
    ...(aheadMs < 0 ? [clockFinding(aheadMs, 'the last change of the catalog')] : []),
  ];
}

/** The catalog and the bucket that nodes share. Nothing is migrated: that is for a node to do. */
async function examineShared(settings: Settings, options: DatabaseOptions): Promise<readonly Finding[]> {
  const { findings, identity } = await examineDatabase(options);
  return settings['storage.url'] === undefined
    ? findings
    : [...findings, await examineBucket(settings, identity)];
}

async function examineDatabase(
  options: DatabaseOptions,
): Promise<{ readonly findings: readonly Finding[]; readonly identity: ClusterIdentity | null | 'unknown' }> {
  const [{ Database }, { examineTables }] = await Promise.all([
    import('../postgres/database.ts'),
    import('./doctor-tables.ts'),
  ]);
  const database = new Database({ ...options, connectMs: options.timeoutMs, connectionsMax: 1 });
  try {
    const sentAt = Date.now();
    const row = await database.read((sql) =>
      sql.first<{ at: number }>('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at'),
    );
    const aheadMs = (sentAt + Date.now()) / 2 - Number(row?.at ?? sentAt);
    const { finding, identity } = await examineTables(database);
    return { findings: [finding, clockFinding(aheadMs, 'PostgreSQL', 1_000)], identity };
  } catch (error) {
    const finding = problem(
      'catalog',
      `PostgreSQL does not answer: ${textOf(error)}`,
      'Check that PostgreSQL runs, and catalog.url with its password.',
    );
    return { findings: [finding], identity: 'unknown' };
  } finally {
    await database.close();
  }
}

function existingParent(directory: string): string {
  const parent = dirname(directory);
  return existsSync(parent) || parent === directory ? parent : existingParent(parent);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function hintOf(error: unknown): string | undefined {
  return error instanceof FrameholdError ? error.hint : undefined;
}
