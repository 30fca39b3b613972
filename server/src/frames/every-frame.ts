import type { Caller } from '../model/caller.ts';
import type { VersionRecord } from '../model/version.ts';
import type { Frames } from './frames.ts';

/** The newest versions of all of the caller's names with this prefix, with their schemas, at most `limit` of them requested at once. */
export async function* everyFrame(
  frames: Pick<Frames, 'list'>,
  caller: Caller,
  { prefix, limit }: { readonly prefix: string; readonly limit: number },
  signal: AbortSignal,
): AsyncGenerator<VersionRecord, void, void> {
  for (let after: string | null = null; ; ) {
    const page: readonly VersionRecord[] = await frames.list(
      caller,
      { prefix, after, limit, schemas: true },
      signal,
    );
    yield* page;
    // A page with schemas may be shorter than the limit.
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.name.toLowerCase();
  }
}
