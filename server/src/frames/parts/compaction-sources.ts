import { exactForm } from '../../model/part-forms.ts';
import type { PartForm, PartRecord } from '../../model/version.ts';
import type { CompactionSource } from '../../ports/codec.ts';
import type { ObjectReader } from '../objects/object-reader.ts';

/** The exact forms of neighbouring parts as files to compact. */
export interface OpenSources {
  readonly sources: readonly CompactionSource[];
  release(): void;
}

export async function openCompactionSources(
  reader: ObjectReader,
  parts: readonly PartRecord[],
  signal: AbortSignal,
): Promise<OpenSources> {
  const forms = parts.map(formToCompact);
  const { paths, release } = await reader.open(
    forms.flatMap((form) => form.objects),
    signal,
  );
  let next = 0;
  const sources = forms.map(({ kind, objects }) => ({
    kind,
    files: objects.map(({ sha256 }) => ({ path: paths[next++] as string, sha256 })),
  }));
  return { sources, release };
}

function formToCompact(part: PartRecord): PartForm {
  const form = exactForm(part);
  if (form === undefined) throw new Error(`part ${part.id} has no exact form`);
  return form;
}
