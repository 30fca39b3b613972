import type { FrameNotes } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { api } from '../../server/api.ts';
import { href } from '../../shell/router.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextField } from '../../ui/field.tsx';
import { SubmitDialog } from '../../ui/submit-dialog.tsx';
import type { FrameState } from './frame-state.ts';

/** What people say of the frame, and a way to say more. */
export function AboutFrame({
  frame,
  canChange,
}: {
  readonly frame: FrameState;
  readonly canChange: boolean;
}) {
  const isOpen = useSignal(false);
  const notes = frame.notes.value;
  if (notes === null) return null;
  const { description, owner, labels } = notes;
  const isEmpty = description === null && owner === null && labels.length === 0;
  if (isEmpty && !canChange) return null;
  return (
    <section class="about-frame" aria-label="About this frame">
      {description !== null && <p class="about-text">{description}</p>}
      <div class="about-line">
        {owner !== null && <span class="muted">Owner: {owner}</span>}
        {labels.map((label) => (
          <a key={label} class="badge" href={href('frames', null, null, { search: label })}>
            {label}
          </a>
        ))}
        {canChange && (
          <Button
            kind="quiet"
            onClick={() => {
              isOpen.value = true;
            }}
          >
            {isEmpty ? 'Describe this frame' : 'Edit'}
          </Button>
        )}
      </div>
      {isOpen.value && (
        <AboutDialog
          frame={frame}
          notes={notes}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </section>
  );
}

function AboutDialog({
  frame,
  notes,
  onClose,
}: {
  readonly frame: FrameState;
  readonly notes: FrameNotes;
  readonly onClose: () => void;
}) {
  const { name } = frame.manifest;
  const description = useSignal(notes.description ?? '');
  const owner = useSignal(notes.owner ?? '');
  const labels = useSignal(notes.labels.join(', '));
  const save = async () => {
    frame.notes.value = await api.frames.note(name, {
      description: description.peek().trim() || null,
      owner: owner.peek().trim() || null,
      labels: labels
        .peek()
        .split(',')
        .map((label) => label.trim())
        .filter((label) => label !== ''),
    });
  };
  return (
    <SubmitDialog title={`About ${name}`} action="Save" submit={save} onClose={onClose}>
      <Field label="Description" hint="It belongs to the name, and stays when rows are put.">
        {(tied) => (
          <textarea
            class="input"
            rows={6}
            {...tied}
            value={description.value}
            onInput={(event) => {
              description.value = event.currentTarget.value;
            }}
          />
        )}
      </Field>
      <TextField
        label="Owner"
        value={owner.value}
        onText={(text) => {
          owner.value = text;
        }}
        hint="Who knows more"
      />
      <TextField
        label="Labels"
        value={labels.value}
        onText={(text) => {
          labels.value = text;
        }}
        hint="With commas between them"
      />
    </SubmitDialog>
  );
}
