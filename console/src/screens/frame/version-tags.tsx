import type { Tag } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { api } from '../../server/api.ts';
import { href } from '../../shell/router.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { timeText } from '../../ui/format.ts';

/** The names of one version. */
export function VersionTags({
  name,
  tags,
  onRemove,
}: {
  readonly name: string;
  readonly tags: readonly Tag[];
  /** null: the frame belongs to others. */
  readonly onRemove: ((tag: string) => void) | null;
}) {
  return tags.map(({ tag, setAt, setBy }) => (
    <span key={tag} class="badge badge-accent version-tag" title={`Set by ${setBy}, ${timeText(setAt)}`}>
      <a href={href('frames', `${name}@${tag}`, 'rows')}>{tag}</a>
      {onRemove !== null && (
        <IconButton icon="close" label={`Remove the tag ${tag}`} onClick={() => onRemove(tag)} />
      )}
    </span>
  ));
}

/** Asks for the name that a version is to have. */
export function TagDialog({
  name,
  version,
  tags,
  onClose,
}: {
  readonly name: string;
  readonly version: number;
  /** Of all versions. */
  readonly tags: readonly Tag[];
  readonly onClose: () => void;
}) {
  const tag = useSignal('');
  const failure = useSignal<unknown>(null);
  const isBusy = useSignal(false);
  const moved = tags.find((each) => each.tag === tag.value.trim() && each.version !== version);
  const set = async () => {
    if (isBusy.peek()) return;
    isBusy.value = true;
    try {
      await api.frames.tag(`${name}@${version}`, tag.peek().trim());
      onClose();
    } catch (error) {
      failure.value = error;
      isBusy.value = false;
    }
  };
  return (
    <Dialog
      title={`Tag version ${version}`}
      size="small"
      onClose={onClose}
      onSubmit={() => void set()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={isBusy.value || tag.value.trim() === ''}>
            {moved === undefined ? 'Set the tag' : 'Move the tag'}
          </Button>
        </>
      }
    >
      <div class="stack">
        <TextField
          label="Tag"
          value={tag.value}
          onText={(text) => {
            tag.value = text;
          }}
          hint={
            moved === undefined
              ? `A letter, then letters, digits, _ and -. ${name}@${tag.value.trim() || 'tag'} reads this version, which is kept as long as it has a tag.`
              : `It names version ${moved.version} now.`
          }
          mono
          autofocus
        />
        {failure.value !== null && <ErrorNote error={failure.value} />}
      </div>
    </Dialog>
  );
}
