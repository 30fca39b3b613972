import { FrameholdError } from './errors.ts';
import { formatHandle } from './handle.ts';

/** For a caller who comes back to a version that it has read before. */
export function otherVersion(name: string, version: number): FrameholdError {
  return new FrameholdError(
    'frame_gone',
    `${JSON.stringify(formatHandle(name, version))} is another version with this number: the one that was read before is gone, because the catalog was restored to an earlier moment.`,
    { hint: `Read ${JSON.stringify(name)} again from its beginning.` },
  );
}
