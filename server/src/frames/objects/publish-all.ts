import { rm } from 'node:fs/promises';
import { waitingFor } from '../../base/request-time.ts';
import type { StoredObject } from '../../model/version.ts';
import type { FinishedFile, ObjectContent, ObjectStore } from '../../ports/object-store.ts';

export interface PublishedFile extends FinishedFile {
  readonly content: ObjectContent;
}

/** Publishes the files of one form. If one fails the others go, because nothing else would remove them before the next start. */
export async function publishAll(
  store: Pick<ObjectStore, 'publish'>,
  files: readonly PublishedFile[],
  onPublished: () => void = () => {},
): Promise<readonly StoredObject[]> {
  const waiting = [...files];
  const objects: StoredObject[] = [];
  try {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const { key, path, content } = file;
      await waitingFor('store', store.publish({ key, path }, content));
      onPublished();
      objects.push({ key, bytes: content.bytes, sha256: content.sha256 });
    }
    return objects;
  } finally {
    for (const { path } of waiting) await rm(path, { force: true });
  }
}
