import { useSignal } from '@preact/signals';
import { Button } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';

/** Asks for something, and does it: once at a time, and a failure is shown below what was asked. It closes when it is done. */
export function SubmitDialog({
  action,
  canSubmit = true,
  submit,
  onClose,
  children,
  ...dialog
}: Pick<DialogProps, 'title' | 'size' | 'onClose' | 'children'> & {
  /** What the button says. */
  readonly action: string;
  readonly canSubmit?: boolean;
  readonly submit: () => Promise<unknown>;
}) {
  const failure = useSignal<unknown>(null);
  const isBusy = useSignal(false);
  const run = async () => {
    if (isBusy.peek()) return;
    isBusy.value = true;
    try {
      await submit();
      onClose();
    } catch (error) {
      failure.value = error;
      isBusy.value = false;
    }
  };
  return (
    <Dialog
      {...dialog}
      onClose={onClose}
      onSubmit={() => void run()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={isBusy.value || !canSubmit}>
            {action}
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
