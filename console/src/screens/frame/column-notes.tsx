import type { ColumnNotes } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { api } from '../../server/api.ts';
import { TextField } from '../../ui/field.tsx';
import { SubmitDialog } from '../../ui/submit-dialog.tsx';
import type { FrameState } from './frame-state.ts';

/** What a column means, and the unit of its values. */
export function ColumnNotesDialog({
  frame,
  column,
  notes,
  onClose,
}: {
  readonly frame: FrameState;
  readonly column: string;
  readonly notes: ColumnNotes | undefined;
  readonly onClose: () => void;
}) {
  const comment = useSignal(notes?.comment ?? '');
  const unit = useSignal(notes?.unit ?? '');
  const save = async () => {
    const said = { comment: comment.peek().trim() || null, unit: unit.peek().trim() || null };
    frame.notes.value = await api.frames.note(frame.manifest.name, { columns: { [column]: said } });
  };
  return (
    <SubmitDialog title={`Column ${column}`} action="Save" submit={save} onClose={onClose}>
      <TextField
        label="Comment"
        value={comment.value}
        onText={(text) => {
          comment.value = text;
        }}
        autofocus
      />
      <TextField
        label="Unit"
        value={unit.value}
        onText={(text) => {
          unit.value = text;
        }}
        hint="Of its values: USD, m/s"
      />
    </SubmitDialog>
  );
}
