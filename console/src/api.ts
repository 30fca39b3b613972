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
    const answer = await fetch(input, init);
    if (answer.status === 401) requireSignIn();
    return answer;
  },
});

/**
 * For bodies with progress: the client sends those with an XMLHttpRequest if it has the browser's own fetch. Their errors go through
 * `noticeRefusal`.
 */
export const uploads = new Framehold({ url: base, token: credential });

/** What the fetch of `api` does, for a request that did not go through it. */
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
