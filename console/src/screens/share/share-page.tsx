import type { SharedLink } from '../../base.ts';

export function SharePage({ link }: { readonly link: SharedLink }) {
  return <h1>{link.handle}</h1>;
}
