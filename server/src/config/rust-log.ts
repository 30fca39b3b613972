/**
 * The level in a `RUST_LOG` filter that holds for everything: `info,hyper=warn` says info. Pairs are about parts of other
 * programs. undefined if there are only pairs; a word that is not a level is passed on and rejected like any other.
 */
export function plainRustLevel(filter: string): string | undefined {
  const [directives = ''] = filter.split('/');
  const plain = directives
    .split(',')
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '' && !directive.includes('='));
  return plain.at(-1);
}
