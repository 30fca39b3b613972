import { FrameholdError } from '../../model/errors.ts';
import type { VersionRecord } from '../../model/version.ts';

export function frameDamaged({ name, version }: VersionRecord, cause?: unknown): FrameholdError {
  return new FrameholdError(
    'frame_damaged',
    `The stored bytes of ${name}@${version} are not those that were put; they are not served.`,
    {
      hint: 'Read again in a minute: they are read again. Else put the frame again, or restore a backup; framehold verify names the files.',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
