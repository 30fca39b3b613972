import type { Frames } from '../../frames/frames.ts';
import { nearFrame } from '../../frames/near-frame.ts';
import type { Caller } from '../../model/caller.ts';
import { FrameholdError, isAbsent } from '../../model/errors.ts';
import type { Handle } from '../../model/handle.ts';
import { formatHandle, parseRowsHandle } from '../../model/handle.ts';
import { handleTextOf } from '../../model/manifest.ts';
import type { VersionRecord } from '../../model/version.ts';

/** A transaction names some; each is kept until it ends. */
const pinsMax = 10_000;

/**
 * The frame that SQL means by a name: `name`, `name@3` or `name@gold`, whatever the case of the name. frame_not_found, frame_gone. In a transaction whose caller has pins, a name stays at
 * the version that it had when it was used first.
 */
export async function findFrame(
  frames: Frames,
  caller: Caller,
  written: string,
  signal: AbortSignal,
): Promise<VersionRecord> {
  const { pins } = caller;
  if (pins === undefined) return await findNewest(frames, caller, written, signal);
  const tag = handleOf(written)?.tag;
  if (written.includes('@') && tag === undefined) return await findPinned(frames, caller, written, signal);
  const [name = ''] = written.split('@', 1);
  // A tag may be moved, so it stays where it was, as a name does.
  const key = tag === undefined ? written.toLowerCase() : `${name.toLowerCase()}@${tag}`;
  if (!pins.has(key)) {
    const found = await findNewest(frames, caller, written, signal);
    if (pins.size >= pinsMax) throw tooManyPins();
    // Another table of the same statement may have been faster.
    if (!pins.has(key)) pins.set(key, { version: found.version, versionId: found.versionId });
    if (pins.get(key)?.versionId === found.versionId) return found;
  }
  const { version, versionId } = pins.get(key) as NonNullable<ReturnType<typeof pins.get>>;
  const record = await findNewest(frames, caller, `${name}@${version}`, signal);
  if (record.versionId === versionId) return record;
  throw new FrameholdError('frame_gone', `The frame ${JSON.stringify(written)} was dropped, and put again.`, {
    hint: 'End the transaction: the next one reads the new frame.',
  });
}

/** In a transaction: what is not said to end with a version (`name@12..`) ends with that of the transaction. */
async function findPinned(
  frames: Frames,
  caller: Caller,
  written: string,
  signal: AbortSignal,
): Promise<VersionRecord> {
  const handle = handleOf(written);
  if (handle?.after === undefined || handle.version !== null)
    return await findNewest(frames, caller, written, signal);
  const name = written.slice(0, written.indexOf('@'));
  const { version } = await findFrame(frames, caller, name, signal);
  // A version that the transaction does not see yet is no beginning of what it sees.
  if (handle.after > version) return await findNewest(frames, caller, written, signal);
  return await findNewest(frames, caller, formatHandle(name, version, handle.after), signal);
}

function tooManyPins(): FrameholdError {
  return new FrameholdError('bad_request', `The transaction has read ${pinsMax} frames.`, {
    sqlState: '54000',
    hint: 'End it, or read them with READ COMMITTED.',
  });
}

async function findNewest(
  frames: Frames,
  caller: Caller,
  written: string,
  signal: AbortSignal,
): Promise<VersionRecord> {
  const handle = handleOf(written);
  if (handle === null) throw await notFound(frames, caller, written, signal);
  try {
    return await frames.resolve(caller, handle, signal);
  } catch (error) {
    if (!(error instanceof FrameholdError) || error.kind !== 'frame_not_found') throw error;
  }
  // Other spellings are looked up only among the caller's own names.
  if (handle.tenant !== undefined) throw await notFound(frames, caller, written, signal);
  const spelled = await spelledName(frames, caller, handle.name, signal);
  if (spelled === null) throw await notFound(frames, caller, written, signal);
  // Under its own spelling the version may still be unknown, or gone: then that is the answer.
  return await frames.resolve(caller, { ...handle, name: spelled }, signal);
}

/** As `findFrame`; null if there is none, or none any more. */
export async function findFrameOrNull(
  frames: Frames,
  caller: Caller,
  written: string,
  signal: AbortSignal,
): Promise<VersionRecord | null> {
  try {
    return await findFrame(frames, caller, written, signal);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** `name@version`. */
export function sourceOf(record: VersionRecord): string {
  return handleTextOf(record);
}

/** null for what no frame can be called. */
function handleOf(written: string): Handle | null {
  try {
    return parseRowsHandle(written);
  } catch {
    return null;
  }
}

async function spelledName(
  frames: Frames,
  caller: Caller,
  name: string,
  signal: AbortSignal,
): Promise<string | null> {
  const lower = name.toLowerCase();
  // In order of lower-case names the one that is the prefix itself comes first.
  const [first] = await frames.names(caller, { prefix: lower, after: null, limit: 1 }, signal);
  return first?.toLowerCase() === lower ? first : null;
}

async function notFound(
  frames: Frames,
  caller: Caller,
  written: string,
  signal: AbortSignal,
): Promise<FrameholdError> {
  const shown = JSON.stringify(written.slice(0, 140));
  const [wanted = ''] = written.split('@', 1);
  const near = await nearFrame(wanted, (page) => frames.names(caller, page, signal));
  return new FrameholdError('frame_not_found', `There is no frame ${shown}.`, {
    subject: written,
    hint:
      near === undefined
        ? 'A table is a frame by its name, one of its versions ("name@3", or "name@gold" by a tag), or the rows since one ("name@3.."). GET /v1/frames lists them.'
        : `There is a frame ${JSON.stringify(near)}.`,
  });
}
