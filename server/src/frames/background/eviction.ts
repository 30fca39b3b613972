import { announce } from '../../model/failpoints.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { Observe } from '../../ports/observation.ts';
import type { ObjectGuard } from '../objects/object-guard.ts';

const pageParts = 16;

/**
 * Removes Arrow forms, oldest first, while all of them together exceed the limit and an exact Parquet form exists.
 * That form is read and compared first, so that the last good copy is never given up unverified.
 */
export async function evictArrowForms(
  catalog: Catalog,
  guard: ObjectGuard,
  bytesMax: number,
  observe: Observe,
  signal: AbortSignal,
): Promise<void> {
  let excess = (await catalog.arrowBytes()) - bytesMax;
  while (excess > 0 && !signal.aborted) {
    const page = await catalog.evictable(pageParts);
    if (page.length === 0) return;
    for (const part of page) {
      if (excess <= 0 || signal.aborted) return;
      const parquet = part.forms.find((form) => form.kind === 'parquet')?.objects ?? [];
      if (await guard.examine(parquet)) continue;
      const bytes =
        part.forms
          .find((form) => form.kind === 'arrow')
          ?.objects.reduce((sum, object) => sum + object.bytes, 0) ?? 0;
      announce('evict:chosen');
      await catalog.evict(part.id);
      announce('evict:recorded');
      observe({ event: 'evicted', partId: part.id, bytes });
      excess -= bytes;
    }
  }
}
