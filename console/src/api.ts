import { signal } from '@preact/signals';
import { base } from './base.ts';
import { Framehold, type Status } from './framehold-stand-in.ts';
import { requireSignIn, token } from './session.ts';

const credential = () => token.peek() ?? undefined;

/** The server of this page. A 401, of whatever request, leads to the sign-in screen. */
export const api = new Framehold({
  url: base,
  token: credential,
  fetch: async (input, init) => {
    const answer = await fetch(input, init);
    if (answer.status === 401) requireSignIn();
    return answer;
  },
});

/** What the server says about itself and the caller; null until it has answered. */
export const status = signal<Status | null>(null);

export async function refreshStatus(signal?: AbortSignal): Promise<Status> {
  const answer = await api.status(signal === undefined ? {} : { signal });
  status.value = answer;
  return answer;
}
