import type { Change } from '@framehold/client';
import { href } from '../../shell/router.ts';
import { leadingKeyword } from '../../sql/statements.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { durationText, plural } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';

/** What a statement did that returned no rows. */
export function ChangeOutcome({
  change,
  elapsedMs,
}: {
  readonly change: Change;
  readonly elapsedMs: number;
}) {
  const { frame, rows } = change;
  return (
    <div class="query-outcome" role="status">
      <span class="query-outcome-mark">
        <Icon name="check" size={20} />
      </span>
      <div>
        <h2>{headingOf(change)}</h2>
        <p class="muted numeric">
          {frame !== null && `${plural(rows, 'row')} written · ${plural(frame.rows, 'row')} in all · `}
          {durationText(elapsedMs)}
        </p>
      </div>
      {frame !== null && (
        <ButtonLink href={href('frames', frame.name)} icon="frames">
          Open {frame.name}
        </ButtonLink>
      )}
    </div>
  );
}

function headingOf({ frame, query }: Change): string {
  if (frame === null) return leadingKeyword(query) === 'DROP' ? 'Dropped.' : 'There was nothing to do.';
  return frame.version === 1
    ? `Frame ${frame.name} created.`
    : `Version ${frame.version} of ${frame.name} created.`;
}
