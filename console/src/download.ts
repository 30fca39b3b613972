import { api, status } from './api.ts';
import { base } from './base.ts';
import { errorText } from './ui/error-note.tsx';
import type { MenuItem } from './ui/menu.tsx';
import { toast } from './ui/toast.tsx';

export type DownloadFormat = 'parquet' | 'csv' | 'arrow' | 'json' | 'ndjson';

export const downloadFormats: readonly { readonly format: DownloadFormat; readonly label: string }[] = [
  { format: 'parquet', label: 'Parquet' },
  { format: 'csv', label: 'CSV' },
  { format: 'arrow', label: 'Arrow' },
  { format: 'json', label: 'JSON' },
  { format: 'ndjson', label: 'NDJSON' },
];

const extensions: Readonly<Record<DownloadFormat, string>> = {
  parquet: 'parquet',
  csv: 'csv',
  arrow: 'arrows',
  json: 'json',
  ndjson: 'ndjson',
};

/** Long enough for the browser to begin; a download that has begun goes on after that. */
const linkTtl = '1m';

/**
 * The browser itself downloads, straight to disk, however large the frame is. It cannot send a token, so the address has a link
 * that is valid for a minute.
 */
export async function download(handle: string, format: DownloadFormat): Promise<void> {
  try {
    const link =
      status.peek()?.open === true ? undefined : (await api.frames.link(handle, { ttl: linkTtl })).link;
    clickDownload(rowsUrl(handle, format, link), fileName(handle, format));
  } catch (error) {
    const { text, hint } = errorText(error);
    toast({ kind: 'error', text, ...(hint === null ? {} : { detail: hint }) });
  }
}

/** The address of the rows in a format; without a link it needs a token, or an open server. */
export function rowsUrl(handle: string, format: DownloadFormat, link?: string): URL {
  const url = new URL(`v1/frames/${encodeURIComponent(handle)}/rows`, base);
  url.searchParams.set('fmt', format);
  if (link !== undefined) url.searchParams.set('link', link);
  return url;
}

export function fileName(handle: string, format: DownloadFormat): string {
  return `${handle.replace(':', '_')}.${extensions[format]}`;
}

/** Entries of a menu. */
export function downloadItems(handle: string): readonly MenuItem[] {
  return downloadFormats.map(({ format, label }, index) => ({
    label: `Download ${label}`,
    icon: 'download',
    separated: index === 0,
    run: () => void download(handle, format),
  }));
}

function clickDownload(url: URL, name: string): void {
  const anchor = document.createElement('a');
  anchor.href = url.href;
  anchor.download = name;
  anchor.click();
}
