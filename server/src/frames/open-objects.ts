import type { ObjectStore } from './ports/object-store.ts';

/** Local files of objects, in the order in which they were asked for. */
export interface OpenObjects {
  readonly paths: readonly string[];
  release(): void;
}

/** All of them, or none. */
export async function openObjects(
  store: ObjectStore,
  objects: readonly { readonly key: string }[],
): Promise<OpenObjects> {
  const opened = await Promise.allSettled(objects.map(({ key }) => store.open(key)));
  const files = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const release = () => {
    for (const file of files) file.release();
  };
  const failed = opened.find((each) => each.status === 'rejected');
  if (failed === undefined) return { paths: files.map(({ path }) => path), release };
  release();
  throw failed.reason;
}
