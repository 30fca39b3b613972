import type { ObjectReader } from './object-reader.ts';
import type { MergeSource } from './ports/codec.ts';
import type { PartForm } from './version.ts';

/** The forms of neighbouring parts as files to merge. */
export interface OpenSources {
  readonly sources: readonly MergeSource[];
  release(): void;
}

export async function openMergeSources(
  reader: ObjectReader,
  forms: readonly PartForm[],
): Promise<OpenSources> {
  const { paths, release } = await reader.open(forms.flatMap((form) => form.objects));
  let next = 0;
  const sources = forms.map(({ kind, objects }) => ({
    kind,
    files: objects.map(({ sha256 }) => ({ path: paths[next++] as string, sha256 })),
  }));
  return { sources, release };
}
