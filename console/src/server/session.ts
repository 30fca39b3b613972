import { computed, signal } from '@preact/signals';
import { base } from './base.ts';

/** The token lives as long as the tab: not in a cookie, which other sites' requests would carry, and never in a URL. */
const key = `framehold:token:${base.pathname}`;

const kept = signal<string | null>(sessionStorage.getItem(key));
const refusal = signal<string | null>(null);

export const token = computed(() => kept.value);
/** Why the sign-in screen is shown; null while the server accepts the requests. */
export const signInReason = computed(() => refusal.value);

export function keepToken(text: string): void {
  sessionStorage.setItem(key, text);
  kept.value = text;
  refusal.value = null;
}

export function signOut(): void {
  sessionStorage.removeItem(key);
  // The reason first: nothing is asked for without a token meanwhile.
  refusal.value = 'You are signed out.';
  kept.value = null;
}

/** Called for every 401: the credential is missing, expired or revoked. */
export function requireSignIn(): void {
  refusal.value ??=
    kept.peek() === null
      ? 'This server asks for a token.'
      : 'The server no longer accepts this token: it has expired or was revoked.';
}
