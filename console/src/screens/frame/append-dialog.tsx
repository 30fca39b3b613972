import type { Manifest } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api, noticeRefusal } from '../../server/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Field } from '../../ui/field.tsx';
import { bytesText, plural } from '../../ui/format.ts';
import { toast } from '../../ui/toast.tsx';

/** Adds the rows of a file as the next version. */
export function AppendDialog({
  manifest: { name },
  onClose,
}: {
  readonly manifest: Manifest;
  readonly onClose: () => void;
}) {
  const file = useSignal<File | null>(null);
  const progress = useSignal<{ readonly sent: number; readonly total: number } | null>(null);
  const failure = useSignal<unknown>(null);
  const request = useRef<AbortController | null>(null);
  useEffect(() => () => request.current?.abort(), []);
  const append = async () => {
    if (file.value === null || progress.peek() !== null) return;
    const sending = new AbortController();
    request.current = sending;
    failure.value = null;
    progress.value = { sent: 0, total: file.value.size };
    try {
      const { version, rows } = await api.frames.append(name, file.value, {
        signal: sending.signal,
        onProgress: (sent, total) => {
          progress.value = { sent, total: total ?? sent };
        },
      });
      toast({ kind: 'ok', text: `Version ${version} of ${name} has ${plural(rows, 'row')}.` });
      onClose();
    } catch (error) {
      noticeRefusal(error);
      progress.value = null;
      if (!sending.signal.aborted) failure.value = error;
    }
  };
  const sent = progress.value;
  return (
    <Dialog
      title={`Append rows to ${name}`}
      size="small"
      onClose={onClose}
      onSubmit={() => void append()}
      footer={
        <>
          <Button
            onClick={() => {
              if (sent === null) onClose();
              else request.current?.abort();
            }}
          >
            Cancel
          </Button>
          <Button type="submit" kind="primary" disabled={file.value === null || sent !== null}>
            Append
          </Button>
        </>
      }
    >
      <div class="stack">
        <Field
          label="File"
          hint="CSV, NDJSON, JSON, Parquet or Arrow. Columns are matched by name; values must fit their types."
        >
          {(tied) => (
            <input
              {...tied}
              type="file"
              accept=".csv,.tsv,.json,.ndjson,.jsonl,.parquet,.arrow,.arrows,.feather"
              onChange={(event) => {
                file.value = event.currentTarget.files?.[0] ?? null;
                failure.value = null;
              }}
            />
          )}
        </Field>
        {sent !== null && (
          <div>
            <progress aria-label="Sent" value={sent.sent} max={Math.max(sent.total, 1)} />
            <p class="muted">
              {bytesText(sent.sent)} of {bytesText(sent.total)} sent
            </p>
          </div>
        )}
        {failure.value !== null && <ErrorNote error={failure.value} />}
      </div>
    </Dialog>
  );
}
