import { openObjects } from './open-objects.ts';
import type { MergeSource } from './ports/codec.ts';
import type { ObjectStore } from './ports/object-store.ts';
import type { PartForm } from './version.ts';

/** The forms of neighbouring parts as files to merge. */
export interface OpenSources {
  readonly sources: readonly MergeSource[];
  release(): void;
}

export async function openMergeSources(store: ObjectStore, forms: readonly PartForm[]): Promise<OpenSources> {
  const { paths, release } = await openObjects(
    store,
    forms.flatMap((form) => form.objects),
  );
  let next = 0;
  const sources = forms.map(({ kind, objects }) => ({
    kind,
    files: objects.map(({ sha256 }) => ({ path: paths[next++] as string, sha256 })),
  }));
  return { sources, release };
}
