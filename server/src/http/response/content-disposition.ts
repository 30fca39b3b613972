import { outputFormats } from '../../encode/output-formats.ts';
import type { RowFormat } from '../../ports/renderer.ts';

/**
 * What a browser does with rows: it shows them, or saves them under this name with the extension of their format. `isDownload`: it saves them in
 * any format, because it was led to a link that names one.
 */
export function rowsDisposition(name: string, format: RowFormat, isDownload = false): string {
  const { disposition, fileExtension } = outputFormats[format];
  return contentDisposition(isDownload ? 'attachment' : disposition, `${name}.${fileExtension}`);
}

/**
 * RFC 6266: the name as a quoted string, and if that cannot hold it exactly once more as RFC 8187 has it, which clients that know it prefer.
 * Characters that a file name cannot have, here or elsewhere, become underscores.
 */
export function contentDisposition(type: 'inline' | 'attachment', fileName: string): string {
  const safe = fileName.toWellFormed().replaceAll(/[\p{Cc}"*/:<>?\\|]/gu, '_');
  const ascii = safe.replaceAll(/[^\x20-\x7e]/gu, '_');
  const plain = `${type}; filename="${ascii}"`;
  return ascii === safe ? plain : `${plain}; filename*=UTF-8''${extValue(safe)}`;
}

/** encodeURIComponent leaves four characters that RFC 8187 does not. */
function extValue(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
