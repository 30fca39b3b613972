import type { Settings } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** UsageError if the settings of catalog and store contradict each other. */
export function checkSharedSettings(settings: Settings): void {
  if (settings['storage.url'] !== undefined && settings['catalog.url'] === undefined)
    throw new UsageError(
      'storage.url needs catalog.url: a catalog in the data directory would be lost with its node, and the objects in the bucket with it.',
    );
  const hasKey = settings['storage.s3_access_key_file'] !== undefined;
  if (hasKey !== (settings['storage.s3_secret_key_file'] !== undefined))
    throw new UsageError(
      'storage.s3_access_key_file and storage.s3_secret_key_file belong together; one is missing.',
    );
  if (settings['storage.s3_kms_key'] !== undefined && settings['storage.s3_encryption'] !== 'aws:kms')
    throw new UsageError('storage.s3_kms_key is only used with storage.s3_encryption = "aws:kms".');
}
