import type { CsvOptions, ImportReport, UploadFormat } from '@framehold/client';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../server/api.ts';
import { frames } from '../../server/frame-list.ts';
import { href, navigate, route } from '../../shell/router.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote, isAbort } from '../../ui/error-note.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { bytesText, durationText } from '../../ui/format.ts';
import { toast } from '../../ui/toast.tsx';
import { frameNameOf, isFrameName } from '../../upload/upload-names.ts';
import {
  cancelUpload,
  type UploadMode,
  type UploadProgress,
  upload,
  uploadProgress,
} from '../../upload/upload-run.ts';
import { dismissSource, type UploadSource, uploadSources } from '../../upload/upload-sources.ts';
import { CsvFields } from './csv-fields.tsx';
import { ImportReportView } from './import-report.tsx';

const formats: readonly { readonly value: UploadFormat; readonly label: string }[] = [
  { value: 'csv', label: 'CSV' },
  { value: 'tsv', label: 'TSV' },
  { value: 'json', label: 'JSON, an array of objects' },
  { value: 'ndjson', label: 'NDJSON, an object a line' },
  { value: 'parquet', label: 'Parquet' },
  { value: 'arrow-file', label: 'Arrow file, Feather' },
  { value: 'arrow', label: 'Arrow stream' },
];

const lives = [
  { value: '', label: 'Never' },
  { value: '1h', label: 'In an hour' },
  { value: '1d', label: 'In a day' },
  { value: '7d', label: 'In a week' },
  { value: '30d', label: 'In 30 days' },
];

export function UploadForm({
  source,
  target,
}: {
  readonly source: UploadSource;
  readonly target: string | null;
}) {
  const [name, setName] = useState(target ?? frameNameOf(source.fileName));
  const [chosenMode, setMode] = useState<'replace' | 'append'>(target === null ? 'replace' : 'append');
  const [format, setFormat] = useState(source.format);
  const [csv, setCsv] = useState<CsvOptions>({});
  const [ttl, setTtl] = useState('');
  const [failure, setFailure] = useState<unknown>(null);
  const { report, reportError, isReading } = useReport(source.blob, format, csv);
  const existing = existingFrame(name);
  const mode: UploadMode = target !== null ? 'append' : existing === null ? 'create' : chosenMode;
  const isText = isTextFormat(format);
  const progress = uploadProgress.value;

  const send = async () => {
    setFailure(null);
    try {
      const manifest = await upload({
        name: mode === 'append' ? (existing ?? name) : name,
        mode,
        body: source.blob,
        format,
        csv: isText ? csv : {},
        ttl: ttl === '' ? null : ttl,
      });
      if (manifest === null) {
        toast({ text: 'The upload was cancelled; nothing was stored.' });
        return;
      }
      const isLast = uploadSources.peek().length <= 1;
      dismissSource(source.id);
      toast({ kind: 'ok', text: `${manifest.handle} is stored.` });
      if (isLast && route.peek().screen === 'upload') navigate(href('frames', manifest.name));
    } catch (error) {
      setFailure(error);
    }
  };

  return (
    <form
      class="upload-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="upload-side">
        <div class="upload-file">
          <strong class="clip" title={source.fileName ?? 'Pasted text'}>
            {source.fileName ?? 'Pasted text'}
          </strong>
          <span class="muted">{bytesText(source.blob.size)}</span>
          <button type="button" class="text-button" onClick={() => dismissSource(source.id)}>
            Choose another
          </button>
        </div>
        <TextField
          label="Name"
          value={name}
          onText={setName}
          disabled={target !== null}
          mono
          {...(isFrameName(name)
            ? {}
            : { error: 'A name has 1 to 128 of A–Z a–z 0–9 _ . - and does not begin with . or -' })}
        />
        {existing !== null && target === null && (
          <fieldset class="upload-mode">
            <legend>{existing} exists</legend>
            <label class="check">
              <input
                type="radio"
                name="mode"
                checked={chosenMode === 'replace'}
                onChange={() => setMode('replace')}
              />
              <span>
                Make a new version <span class="muted">· the earlier ones stay</span>
              </span>
            </label>
            <label class="check">
              <input
                type="radio"
                name="mode"
                checked={chosenMode === 'append'}
                onChange={() => setMode('append')}
              />
              <span>Append the rows</span>
            </label>
          </fieldset>
        )}
        <SelectField
          label="Format"
          value={format}
          choices={formats}
          onChoose={(value) => setFormat(value as UploadFormat)}
        />
        {isText && <CsvFields format={format} csv={csv} report={report} onChange={setCsv} />}
        {mode !== 'append' && <SelectField label="Expires" value={ttl} choices={lives} onChoose={setTtl} />}
        {failure !== null && <ErrorNote error={failure} />}
        {progress === null ? (
          <Button kind="primary" type="submit" icon="upload" disabled={!isFrameName(name)}>
            {mode === 'append' ? 'Append' : mode === 'replace' ? 'Upload a new version' : 'Upload'}
          </Button>
        ) : (
          <Progress progress={progress} />
        )}
      </div>
      <div class="upload-report">
        {isText ? (
          <ImportReportView
            report={report}
            error={reportError}
            isReading={isReading}
            mode={mode}
            types={csv.types ?? {}}
            onTypes={(types) => setCsv({ ...csv, types })}
          />
        ) : (
          <p class="muted">The file has its own types; they are kept as they are.</p>
        )}
      </div>
    </form>
  );
}

function Progress({ progress }: { readonly progress: UploadProgress }) {
  const { sentBytes, totalBytes, bytesPerSecond } = progress;
  const isSent = sentBytes >= totalBytes;
  const leftMs = bytesPerSecond > 0 ? ((totalBytes - sentBytes) / bytesPerSecond) * 1_000 : null;
  return (
    <div class="upload-progress">
      <progress
        max={totalBytes}
        aria-label={`Upload of ${progress.name}`}
        // Without a value it shows that something goes on: the server checks and stores.
        {...(isSent ? {} : { value: sentBytes })}
      />
      <div class="upload-progress-text">
        <span>
          {isSent
            ? 'Checking and storing…'
            : `${bytesText(sentBytes)} of ${bytesText(totalBytes)} · ${bytesText(bytesPerSecond)}/s${leftMs === null ? '' : ` · ${durationText(leftMs)} left`}`}
        </span>
        <Button onClick={cancelUpload}>Cancel</Button>
      </div>
    </div>
  );
}

/** Typing a delimiter or a text for null is over after this. */
const settleMs = 250;

/** What a dry run over the beginning finds; again after each change of the options. */
function useReport(body: Blob, format: UploadFormat, csv: CsvOptions) {
  const [state, setState] = useState<{
    readonly report: ImportReport | null;
    readonly reportError: unknown;
    readonly isReading: boolean;
  }>({ report: null, reportError: null, isReading: true });
  const options = JSON.stringify(csv);
  useEffect(() => {
    if (!isTextFormat(format)) return;
    const controller = new AbortController();
    setState((before) => ({ ...before, isReading: true }));
    const timer = setTimeout(async () => {
      try {
        const report = await api.frames.inspect(body, {
          format,
          csv: JSON.parse(options) as CsvOptions,
          signal: controller.signal,
        });
        setState({ report, reportError: null, isReading: false });
      } catch (error) {
        if (!isAbort(error) && !controller.signal.aborted)
          setState({ report: null, reportError: error, isReading: false });
      }
    }, settleMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [body, format, options]);
  return state;
}

/** Names that differ only in case are one: the server refuses the second. */
function existingFrame(name: string): string | null {
  if (frames.value.has(name)) return name;
  const lower = name.toLowerCase();
  for (const each of frames.value.keys()) if (each.toLowerCase() === lower) return each;
  return null;
}

function isTextFormat(format: UploadFormat): boolean {
  return format === 'csv' || format === 'tsv' || format === 'json' || format === 'ndjson';
}
