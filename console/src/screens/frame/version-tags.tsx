import type { Tag } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { api } from '../../server/api.ts';
import { href } from '../../shell/router.ts';
import { IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { timeText } from '../../ui/format.ts';
import { SubmitDialog } from '../../ui/submit-dialog.tsx';

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
  const moved = tags.find((each) => each.tag === tag.value.trim() && each.version !== version);
  return (
    <SubmitDialog
      title={`Tag version ${version}`}
      size="small"
      action={moved === undefined ? 'Set the tag' : 'Move the tag'}
      canSubmit={tag.value.trim() !== ''}
      submit={() => api.frames.tag(`${name}@${version}`, tag.peek().trim())}
      onClose={onClose}
    >
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
    </SubmitDialog>
  );
}
