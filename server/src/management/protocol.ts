/** What the management thread is started with. */
export interface ManagementStart {
  /** As for `net.Server.listen`. */
  readonly address: { readonly host: string; readonly port: number } | { readonly path: string };
  /** The main thread counts it up every `beatMs`. */
  readonly beat: Int32Array;
  readonly stuckMs: number;
}

/** Often enough that a stuck main thread is seen soon, seldom enough to cost nothing. */
export const beatMs = 250;

/** What only the main thread knows. */
export type Question = 'ready' | 'metrics';

export type ToMain =
  | { readonly kind: 'listening'; readonly address: string }
  | { readonly kind: 'failed'; readonly code: string | undefined; readonly message: string }
  | { readonly kind: 'asked'; readonly id: number; readonly question: Question };

export interface Answer {
  readonly id: number;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export const plainText = 'text/plain; charset=utf-8';
