import { exactForm } from '../../model/part-forms.ts';
import type { PartRecord } from '../../model/version.ts';
import { runBytesMax, runPartsMax, scratchBytes } from './scratch-copies.ts';

/** Larger parts get their own file, and are transcoded soon after their put. */
const smallPartBytes = 1024 * 1024;

/** The parts of a version cut into stretches: runs of neighbouring small ones, and the others one by one. */
export function stretchesOf(
  parts: readonly PartRecord[],
  apart: ReadonlySet<string>,
): readonly (readonly PartRecord[])[] {
  const stretches: PartRecord[][] = [];
  let run: PartRecord[] = [];
  let bytes = 0;
  const end = () => {
    if (run.length > 0) stretches.push(run);
    run = [];
    bytes = 0;
  };
  for (const part of parts) {
    const size = scratchBytes(part);
    const small = exactForm(part) !== undefined && size < smallPartBytes && !apart.has(part.id);
    if (!small || run.length >= runPartsMax || bytes + size > runBytesMax) end();
    if (small) {
      run.push(part);
      bytes += size;
    } else stretches.push([part]);
  }
  end();
  return stretches;
}
