import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';

/** Paths of what a server on a single machine stores. */
interface DataPaths {
  readonly directory: string;
  readonly parquetDirectory: string;
  readonly catalog: string;
  readonly credentials: string;
  readonly linkKey: string;
  /** For what statements spill to disk. */
  readonly sqlTemp: string;
  /** For links to Parquet files, on their filesystem. */
  readonly sqlLinks: string;
  /** For results that an engine on other machines writes. */
  readonly attempts: string;
}

export function dataPaths(settings: Settings): DataPaths {
  const directory = settings['storage.data_dir'];
  const parquetDirectory = settings['storage.parquet_path'] ?? join(directory, 'cold');
  return {
    directory,
    parquetDirectory,
    catalog: join(directory, 'catalog.sqlite'),
    credentials: join(directory, 'credentials.sqlite'),
    linkKey: join(directory, 'links.key'),
    sqlTemp: join(directory, 'sql-tmp'),
    sqlLinks: join(parquetDirectory, '.tmp', 'sql-links'),
    attempts: settings['spark.attempts_path'] ?? join(directory, 'attempts'),
  };
}
