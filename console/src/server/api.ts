import { Framehold, FrameholdError, type Status } from '@framehold/client';
import { signal } from '@preact/signals';
import { base } from './base.ts';
import { requireSignIn, token } from './session.ts';

const credential = () => token.peek() ?? undefined;

/** The server of this page. A 401, of whatever request, leads to the sign-in screen. */
export const api = new Framehold({
  url: base,
  token: credential,
  fetch: async (input, init) => {
    const sentWith = token.peek();
    const answer = await fetch(input, init);
    // Of an answer that comes after somebody has signed in, the token before was refused.
    if (answer.status === 401 && sentWith === token.peek()) requireSignIn();
    return answer;
  },
});

/** What the fetch of `api` does, for an upload: browsers tell its progress only to an XMLHttpRequest. */
export function noticeRefusal(error: unknown): void {
  if (error instanceof FrameholdError && error.status === 401) requireSignIn();
}

/** What the server says about itself and the caller; null until it has answered. */
export const status = signal<Status | null>(null);

// What was said to another caller.
token.subscribe(() => {
  status.value = null;
});

export async function refreshStatus(signal?: AbortSignal): Promise<Status> {
  const answer = await api.status(signal === undefined ? {} : { signal });
  status.value = answer;
  return answer;
}
