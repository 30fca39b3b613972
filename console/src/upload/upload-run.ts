import type { CsvOptions, Manifest, UploadFormat } from '@framehold/client';
import { signal } from '@preact/signals';
import { api, noticeRefusal } from '../server/api.ts';
import { remember } from '../server/frame-list.ts';
import { isAbort } from '../ui/error-note.tsx';

export type UploadMode = 'create' | 'replace' | 'append';

export interface UploadOrder {
  readonly name: string;
  readonly mode: UploadMode;
  readonly body: Blob;
  readonly format: UploadFormat;
  readonly csv: CsvOptions;
  readonly ttl: string | null;
}

export interface UploadProgress {
  readonly name: string;
  readonly sentBytes: number;
  readonly totalBytes: number;
  readonly bytesPerSecond: number;
}

/** The upload under way, wherever the reader is on the page; null if there is none. */
export const uploadProgress = signal<UploadProgress | null>(null);

let controller: AbortController | null = null;

export function cancelUpload(): void {
  controller?.abort();
}

/** Sends a body. Null if it was cancelled: then nothing is stored. */
export async function upload(order: UploadOrder): Promise<Manifest | null> {
  const { name, mode, body, format, csv, ttl } = order;
  const current = new AbortController();
  controller = current;
  const startedAt = performance.now();
  const report = (sentBytes: number) => {
    const seconds = (performance.now() - startedAt) / 1_000;
    uploadProgress.value = {
      name,
      sentBytes,
      totalBytes: body.size,
      bytesPerSecond: seconds > 0 ? sentBytes / seconds : 0,
    };
  };
  report(0);
  addEventListener('beforeunload', askFirst);
  try {
    const options = { format, csv, onProgress: report, signal: current.signal };
    const manifest =
      mode === 'append'
        ? await api.frames.append(name, body, options)
        : await api.frames.put(name, body, {
            ...options,
            ...(ttl === null ? {} : { ttl }),
            // Somebody else may have taken the name since the list was read.
            ...(mode === 'create' ? { ifNoneMatch: '*' as const } : {}),
          });
    remember(manifest);
    return manifest;
  } catch (error) {
    if (isAbort(error)) return null;
    noticeRefusal(error);
    throw error;
  } finally {
    removeEventListener('beforeunload', askFirst);
    uploadProgress.value = null;
    controller = null;
  }
}

/** The browser asks whether the page may be left. */
function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
