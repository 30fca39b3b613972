import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';

/** Fields, and a button that saves what is in them. */
export function NotesDialog({
  title,
  save,
  onClose,
  children,
}: {
  readonly title: string;
  readonly save: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const failure = useSignal<unknown>(null);
  const isBusy = useSignal(false);
  const submit = async () => {
    if (isBusy.peek()) return;
    isBusy.value = true;
    try {
      await save();
      onClose();
    } catch (error) {
      failure.value = error;
      isBusy.value = false;
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={isBusy.value}>
            Save
          </Button>
        </>
      }
    >
      <div class="stack">
        {children}
        {failure.value !== null && <ErrorNote error={failure.value} />}
      </div>
    </Dialog>
  );
}
