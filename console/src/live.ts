import { signal } from '@preact/signals';

/** An event of the server, as `GET /v1/events` describes it. */
export interface LiveEvent {
  readonly kind: string;
  readonly id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export type Connection = 'connecting' | 'live' | 'offline';

export const connection = signal<Connection>('connecting');

const listeners = new Set<(event: LiveEvent) => void>();

/** Calls back for each event from now on; returns what ends it. */
export function onLive(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
