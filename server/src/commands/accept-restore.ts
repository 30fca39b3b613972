import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeCatalogAccess, forCommand } from '../compose/catalog-access.ts';
import { lockDataDirectory, openSharedStore } from '../compose/store.ts';
import type { Settings } from '../config/settings.ts';
import { foreignStore } from '../frames/background/restore-guard.ts';

/**
 * An operator says that a catalog that was restored to an earlier moment is right as it is: nodes remove objects again that it does not know. Returns the
 * epochs of the catalog and of the store before; null if the catalog is not behind.
 */
export async function acceptRestore(
  settings: Settings,
): Promise<{ readonly catalog: number; readonly store: number } | null> {
  await using made = new AsyncDisposableStack();
  const { clock, identity } = await composeCatalogAccess(settings, made, forCommand);
  const { catalogId, epoch } = await identity.identity();
  const { identified } = await openSharedStore(
    await aside(settings, made),
    { catalogId, observe: () => {} },
    made,
  );
  const stored = await identified.readIdentity();
  if (stored?.catalogId !== catalogId) throw foreignStore();
  if (stored.epoch <= epoch) return null;
  await identity.raise(stored.epoch + 1, clock.now());
  return { catalog: epoch, store: stored.epoch };
}

/** A node may be using the data directory. If the objects are in it, so is the identity, and the node must be stopped. */
async function aside(settings: Settings, made: AsyncDisposableStack): Promise<Settings> {
  if (settings['storage.url'] === undefined) {
    lockDataDirectory(settings, made);
    return settings;
  }
  const folder = made.adopt(await mkdtemp(join(tmpdir(), 'framehold-mark-')), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  return { ...settings, 'storage.data_dir': folder };
}
