import type { AccessGuard } from '../frames/access/access-guard.ts';
import type { Audit } from '../frames/access/audit.ts';
import { CachedFiles } from '../frames/files/cached-files.ts';
import { FileMaker } from '../frames/files/file-maker.ts';
import type { FrameFiles } from '../frames/files/frame-files.ts';
import { FrameFilesService } from '../frames/files/frame-files-service.ts';
import type { Frames } from '../frames/frames.ts';
import type { Core } from './core.ts';
import type { Limits } from './limits.ts';

interface FilesDependencies {
  readonly core: Core;
  readonly frames: Frames;
  readonly limits: Limits;
  readonly access: AccessGuard;
  readonly audit: Audit;
}

/** Frames as files. */
export function composeFiles(
  { core, frames, limits, access, audit }: FilesDependencies,
  made: AsyncDisposableStack,
): FrameFiles {
  const { catalog, reader, guard, now } = core;
  const maker = new FileMaker(core);
  const known = made.adopt(new CachedFiles({ catalog, maker, now }), (open) => open.close());
  return new FrameFilesService({ frames, known, reader, guard, access, audit, reads: limits.reads });
}
