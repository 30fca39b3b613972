import { errorOfAnswer, networkError } from './errors.ts';

/** What the client uses of a browser's XMLHttpRequest; described here, so that programs without a browser's types can use the client. */
interface BrowserRequest {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress: ((event: { readonly loaded: number }) => void) | null };
  onabort: (() => void) | null;
  onerror: (() => void) | null;
  onload: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: unknown): void;
  abort(): void;
}

interface BrowserUpload {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly totalBytes: number | undefined;
  readonly onProgress?: (sentBytes: number, totalBytes: number | undefined) => void;
  readonly signal?: AbortSignal;
}

/** Pages cannot send a stream over HTTP/1.1, and only this tells them how much has been sent. Undefined outside of browsers. */
export function browserRequest(): (new () => BrowserRequest) | undefined {
  return (globalThis as { XMLHttpRequest?: new () => BrowserRequest }).XMLHttpRequest;
}

/** Sends a body that is in memory or a file; the text of the answer. */
export async function sendByXhr(
  request: BrowserRequest,
  { method, url, headers, body, totalBytes, onProgress, signal }: BrowserUpload,
): Promise<string> {
  return await new Promise<string>((resolve, reject) => {
    const abort = () => request.abort();
    const end = (act: () => void) => () => {
      signal?.removeEventListener('abort', abort);
      act();
    };
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    request.open(method, url.href);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (onProgress !== undefined)
      request.upload.onprogress = ({ loaded }) =>
        onProgress(Math.min(loaded, totalBytes ?? loaded), totalBytes);
    request.onabort = end(() => reject(signal?.reason));
    request.onerror = end(() => reject(networkError(url, undefined)));
    request.onload = end(() => {
      const { status, responseText: text } = request;
      if (status >= 200 && status < 300) resolve(text);
      else reject(errorOfAnswer({ status, text, header: (name) => request.getResponseHeader(name) }));
    });
    request.send(body);
  });
}
