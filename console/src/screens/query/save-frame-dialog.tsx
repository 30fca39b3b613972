import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../server/api.ts';
import { href, navigate } from '../../shell/router.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNote, isAbort } from '../../ui/error-note.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { plural } from '../../ui/format.ts';
import { toast } from '../../ui/toast.tsx';
import { type RunRequest, sentWith } from './statement-run.ts';

type Mode = 'create' | 'replace' | 'append';

const modes = [
  { value: 'create', label: 'Refuse: only create a new frame' },
  { value: 'replace', label: 'Replace: the next version has these rows' },
  { value: 'append', label: 'Append to the rows of the frame' },
] as const;

const lifetimes = [
  { value: '', label: 'Until it is dropped' },
  { value: '1h', label: 'One hour' },
  { value: '1d', label: 'One day' },
  { value: '7d', label: 'One week' },
  { value: '30d', label: '30 days' },
] as const;

/** Runs the statement again and stores all of its rows on the server: they do not travel through the browser. */
export function SaveFrameDialog({
  request,
  onClose,
}: {
  readonly request: RunRequest;
  readonly onClose: () => void;
}) {
  const name = useSignal('');
  const mode = useSignal<Mode>('create');
  const ttl = useSignal('');
  const failure = useSignal<unknown>(null);
  const running = useSignal<AbortController | null>(null);
  useEffect(() => () => running.peek()?.abort(), []);
  const save = async () => {
    if (name.peek().trim() === '' || running.peek() !== null) return;
    const abort = new AbortController();
    running.value = abort;
    failure.value = null;
    try {
      const outcome = await api.execute(request.sql, {
        into: {
          name: name.peek().trim(),
          mode: mode.peek(),
          // An append leaves the expiry of the frame as it is.
          ...(ttl.peek() === '' || mode.peek() === 'append' ? {} : { ttl: ttl.peek() }),
        },
        signal: abort.signal,
        ...sentWith(request),
      });
      if (outcome.kind === 'change' && outcome.frame !== null) {
        const { frame } = outcome;
        toast({
          kind: 'ok',
          text: `${plural(outcome.rows, 'row')} stored as ${frame.handle}.`,
          action: { label: 'Open', run: () => navigate(href('frames', frame.name)) },
        });
      }
      onClose();
    } catch (error) {
      if (!isAbort(error)) failure.value = error;
    } finally {
      running.value = null;
    }
  };
  return (
    <Dialog
      title="Save the rows as a frame"
      size="small"
      onClose={onClose}
      onSubmit={save}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={name.value.trim() === '' || running.value !== null}>
            {running.value === null ? 'Save' : 'Saving…'}
          </Button>
        </>
      }
    >
      <div class="query-form">
        {failure.value !== null && <ErrorNote error={failure.value} />}
        <TextField
          label="Name"
          value={name.value}
          autofocus
          mono
          onText={(text) => {
            name.value = text;
          }}
          hint="The statement runs again, and all of its rows are stored."
        />
        <SelectField
          label="If the name exists"
          value={mode.value}
          choices={modes}
          onChoose={(chosen) => {
            mode.value = chosen as Mode;
          }}
        />
        <SelectField
          label="Keep it"
          value={ttl.value}
          choices={lifetimes}
          disabled={mode.value === 'append'}
          onChoose={(chosen) => {
            ttl.value = chosen;
          }}
        />
      </div>
    </Dialog>
  );
}
