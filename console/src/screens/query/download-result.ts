import { api, status } from '../../server/api.ts';
import { type DownloadFormat, download, fileName, saveAs } from '../../server/download.ts';
import { errorText } from '../../ui/error-note.tsx';
import { toast } from '../../ui/toast.tsx';
import { type StatementRun, sentWith } from './statement-run.ts';

/** Time enough to begin the download. */
const temporaryTtl = '10m';

/**
 * The statement runs again and the server writes the file. A result that was shown whole is small enough to pass through the page. Other
 * rows are stored as a frame for ten minutes, and the browser downloads them by a link that is good for a minute: it writes them to the disk
 * as they arrive.
 */
export async function downloadResult(run: StatementRun, format: DownloadFormat): Promise<void> {
  const dismiss = toast({ text: 'Preparing the download…', durationMs: 600_000 });
  try {
    if (run.cut.peek() === null || !canStore()) await downloadThroughPage(run, format);
    else await downloadByLink(run, format);
  } catch (error) {
    const { text, hint } = errorText(error);
    toast({ kind: 'error', text, ...(hint === null ? {} : { detail: hint }) });
  } finally {
    dismiss();
  }
}

/** A token that only reads cannot store a frame: all rows pass through the page. */
function canStore(): boolean {
  const scopes = status.peek()?.caller.scopes;
  return scopes === undefined || scopes.some((scope) => scope === 'write' || scope === 'admin');
}

async function downloadThroughPage({ request }: StatementRun, format: DownloadFormat): Promise<void> {
  const answer = await api.exportSql(request.sql, { format, ...sentWith(request) });
  saveAs(URL.createObjectURL(await answer.blob()), fileName('query', format));
}

async function downloadByLink({ request }: StatementRun, format: DownloadFormat): Promise<void> {
  const outcome = await api.execute(request.sql, { into: { ttl: temporaryTtl }, ...sentWith(request) });
  if (outcome.kind !== 'change' || outcome.frame === null) return;
  await download(outcome.frame.handle, format);
}
