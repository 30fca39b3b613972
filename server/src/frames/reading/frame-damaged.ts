import { FrameholdError } from '../../model/errors.ts';
import type { VersionRecord } from '../../model/version.ts';

export function frameDamaged({ name, version }: VersionRecord, cause?: unknown): FrameholdError {
  return new FrameholdError(
    'frame_damaged',
    `The stored bytes of ${name}@${version} are not those that were put; they are not served.`,
    {
      hint: 'Retry in a minute: the server is reading the files again. If it still fails, upload the frame again or restore a backup. framehold verify lists the damaged files.',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
