import { FrameholdError } from '../../model/errors.ts';
import { isExpected } from '../../model/expected-version.ts';
import { formatHandle } from '../../model/handle.ts';
import type { Tag, TagChange } from '../../ports/catalog/tags.ts';

/** Of one frame. Each keeps a version that would otherwise be pruned, and a list of them is one answer. */
const tagsMax = 100;

export interface TagRow {
  readonly tag: string;
  readonly version: number;
  readonly version_id: string;
  readonly set_at: number;
  readonly set_by: string;
}

export function tagOf({ tag, version, version_id: versionId, set_at: setAt, set_by: setBy }: TagRow): Tag {
  return { tag, version, versionId, setAt, setBy };
}

/**
 * Before a tag is set. `tags` are those that the name has. The tag as it is if it names this version already, or if it was set by this very change, which is
 * repeated; else null.
 */
export function checkTag(tags: readonly TagRow[], change: TagChange): TagRow | null {
  const { name, tag, version, ifVersion, setBy, now } = change;
  const found = tags.find((each) => each.tag === tag);
  if (found?.version === version && found.set_at === now && found.set_by === setBy) return found;
  checkTagged(name, tag, found, ifVersion);
  if (found === undefined && tags.length >= tagsMax)
    throw new FrameholdError('bad_request', `The frame has ${tagsMax} tags already.`, {
      hint: 'Remove some of them, or move one that is there.',
    });
  return found?.version === version ? found : null;
}

/** version_mismatch if the tag names another version than the one that is wanted. */
export function checkTagged(
  name: string,
  tag: string,
  found: TagRow | undefined,
  ifVersion: TagChange['ifVersion'],
): void {
  if (ifVersion === null) return;
  if (ifVersion === 'none') {
    if (found === undefined) return;
  } else if (found && isExpected({ version: found.version, versionId: found.version_id }, ifVersion)) return;
  const names = found === undefined ? 'does not exist' : `names ${formatHandle(name, found.version)}`;
  throw new FrameholdError(
    'version_mismatch',
    `The tag ${JSON.stringify(tag)} of ${JSON.stringify(name)} ${names}.`,
    {
      hint: 'Read the tag again, and repeat the change if it is still wanted.',
    },
  );
}

/** How many tags a hint shows. */
const shownMax = 10;

/** tag_not_found, with those that there are. */
export function requireTag(tags: readonly TagRow[], name: string, tag: string): TagRow {
  const found = tags.find((each) => each.tag === tag);
  if (found !== undefined) return found;
  const shown = tags.slice(0, shownMax).map((each) => `${name}@${each.tag}`);
  const more = tags.length > shownMax ? ', …' : '';
  throw new FrameholdError(
    'tag_not_found',
    `The frame ${JSON.stringify(name)} has no tag ${JSON.stringify(tag)}.`,
    {
      hint:
        shown.length === 0
          ? 'It has none. PUT /v1/frames/{name}/tags/{tag} sets one.'
          : `Its tags: ${shown.join(', ')}${more}.`,
    },
  );
}
