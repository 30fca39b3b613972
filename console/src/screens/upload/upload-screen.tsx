import './upload.css';
import { useEffect, useRef } from 'preact/hooks';
import { useFrameList } from '../../server/frame-list.ts';
import type { ScreenProps } from '../../shell/screen-props.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { toast } from '../../ui/toast.tsx';
import { dismissSource, offerFiles, offerText, uploadSources } from '../../upload/upload-sources.ts';
import { UploadForm } from './upload-form.tsx';

export function UploadScreen({ route }: ScreenProps) {
  useFrameList();
  const source = uploadSources.value[0];
  const target = route.parameters.get('name');
  useEffect(
    () => () => {
      // Whoever leaves without uploading has changed their mind.
      uploadSources.value = [];
    },
    [],
  );
  return (
    <div class="screen upload">
      <header class="upload-head">
        <h1>{target === null ? 'Upload' : `Append to ${target}`}</h1>
        {uploadSources.value.length > 1 && (
          <p class="muted">
            1 of {uploadSources.value.length} files.{' '}
            <button
              type="button"
              class="text-button"
              onClick={() => source !== undefined && dismissSource(source.id)}
            >
              Skip this file
            </button>
          </p>
        )}
      </header>
      {source === undefined ? <Choose /> : <UploadForm key={source.id} source={source} target={target} />}
    </div>
  );
}

function Choose() {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div class="choose card">
      <Icon name="upload" size={28} />
      <h2>Drop files here, or anywhere on the page</h2>
      <p class="muted">
        CSV, TSV, JSON, NDJSON, Parquet, Arrow and Feather. You see how it is read before it is sent.
      </p>
      <div class="choose-buttons">
        <Button kind="primary" onClick={() => picker.current?.click()}>
          Choose files
        </Button>
        <Button icon="copy" onClick={() => void pasteText()}>
          Paste rows
        </Button>
      </div>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={(event) => {
          offerFiles(event.currentTarget.files ?? []);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}

async function pasteText(): Promise<void> {
  try {
    const text = await navigator.clipboard.readText();
    if (text.trim() !== '') offerText(text);
    else toast({ text: 'The clipboard has no text.' });
  } catch {
    toast({
      text: 'Press Ctrl+V to paste.',
      detail: 'The browser does not let a button read the clipboard here.',
    });
  }
}
