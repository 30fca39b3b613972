/** The URL of a sibling module: `.ts` when run from source, `.js` when built. */
export function siblingModule(importMetaUrl: string, name: string): URL {
  const extension = importMetaUrl.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./${name}.${extension}`, importMetaUrl);
}
