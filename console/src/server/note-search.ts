import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from './api.ts';

/** After the last key, so that a word is one request. */
const delayMs = 250;
/** What a person looks at. */
const foundMax = 100;
const none: ReadonlySet<string> = new Set();

/** Names of frames that the server finds by what people say of them; empty until it has answered. */
export function useNoteSearch(text: string): ReadonlySignal<ReadonlySet<string>> {
  const found = useSignal(none);
  useEffect(() => {
    found.value = none;
    if (text.trim() === '') return;
    const request = new AbortController();
    const timer = setTimeout(() => {
      api.frames.list({ search: text.trim(), limit: foundMax, signal: request.signal }).then(
        ({ frames }) => {
          found.value = new Set(frames.map(({ name }) => name));
        },
        // The list by names is complete without it.
        () => undefined,
      );
    }, delayMs);
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  }, [text]);
  return found;
}
