import { errorText } from '../ui/error-note.tsx';
import type { MenuItem } from '../ui/menu.tsx';
import { toast } from '../ui/toast.tsx';
import { api, status } from './api.ts';
import { base } from './base.ts';

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
    saveAs(await downloadUrl(handle, format), fileName(handle, format));
  } catch (error) {
    const { text, hint } = errorText(error);
    toast({ kind: 'error', text, ...(hint === null ? {} : { detail: hint }) });
  }
}

async function downloadUrl(handle: string, format: DownloadFormat): Promise<string> {
  const known = status.peek();
  if (known?.open === true) return rowsUrl(handle, format).href;
  if (known?.caller.scopes.some((scope) => scope === 'write' || scope === 'admin') !== false) {
    const { link } = await api.frames.link(handle, { ttl: linkTtl });
    return rowsUrl(handle, format, link).href;
  }
  // A token that only reads cannot make links: the page fetches the rows, and the browser keeps them on disk if they are large.
  const answer = await api.export(handle, { format });
  return URL.createObjectURL(await answer.blob());
}

/** Saves what is at an address of this server, or at a `blob:` of this page. */
export function saveAs(url: string, name: string): void {
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  // After the browser has taken it.
  if (url.startsWith('blob:')) setTimeout(() => URL.revokeObjectURL(url), 60_000);
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
