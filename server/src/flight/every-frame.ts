import type { Frames } from '../frames/frames.ts';
import type { VersionRecord } from '../model/version.ts';
import type { Call } from './call.ts';

/** The newest versions of all names with this prefix, with their schemas, asked for so many at a time. */
export async function* everyFrame(
  frames: Frames,
  call: Call,
  prefix: string,
  limit: number,
): AsyncGenerator<VersionRecord, void, void> {
  for (let after: string | null = null; ; ) {
    const asked = { prefix, after, limit, schemas: true } as const;
    const page: readonly VersionRecord[] = await frames.list(call.caller, asked, call.signal);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.name.toLowerCase();
  }
}
