import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../server/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import type { QueryTab } from './query-tabs.ts';
import { readSavedQueries, savedQueries } from './saved-queries.ts';

/** Saves the whole text of a tab for the tenant. */
export function SaveQueryDialog({ tab, onClose }: { readonly tab: QueryTab; readonly onClose: () => void }) {
  const name = useSignal(tab.savedAs.peek() ?? '');
  const failure = useSignal<unknown>(null);
  useEffect(() => {
    // Only to say that a name is taken.
    readSavedQueries().catch(() => undefined);
  }, []);
  const isTaken = savedQueries.value?.some((each) => each.name === name.value) === true;
  const isEmpty = tab.text.value.trim() === '';
  const save = async () => {
    if (name.peek().trim() === '' || isEmpty) return;
    try {
      await api.saved.save(name.peek(), tab.text.peek());
      tab.savedAs.value = name.peek();
      await readSavedQueries();
      toast({ kind: 'ok', text: `Saved as “${name.peek()}”.` });
      onClose();
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <Dialog
      title="Save the query"
      size="small"
      onClose={onClose}
      onSubmit={save}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={name.value.trim() === '' || isEmpty}>
            {isTaken ? 'Replace' : 'Save'}
          </Button>
        </>
      }
    >
      {failure.value !== null && <ErrorNote error={failure.value} />}
      <TextField
        label="Name"
        value={name.value}
        autofocus
        onText={(text) => (name.value = text)}
        hint={
          isEmpty
            ? 'The query is empty.'
            : isTaken
              ? 'A query with this name exists. It is replaced.'
              : 'Everyone in your tenant can open it.'
        }
      />
    </Dialog>
  );
}
