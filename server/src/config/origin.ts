/** Where a value came from. */
export type Origin =
  | { readonly from: 'flag'; readonly name: string }
  | { readonly from: 'environment'; readonly name: string }
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'default' };

export function describeOrigin(origin: Origin): string {
  switch (origin.from) {
    case 'flag':
      return `flag --${origin.name}`;
    case 'environment':
      return `environment ${origin.name}`;
    case 'file':
      return `file ${origin.path}`;
    case 'default':
      return 'default';
  }
}
