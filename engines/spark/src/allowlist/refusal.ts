import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { textPlace } from '../../../../server/src/model/text-place.ts';

/** What is wrong at a position of a text, before it is known which text the caller has written. */
export class AllowlistFinding extends Error {
  readonly kind: 'sql_refused' | 'sql_invalid';
  readonly position: number | null;
  readonly hint: string | undefined;

  constructor(kind: 'sql_refused' | 'sql_invalid', detail: string, position: number | null, hint?: string) {
    super(detail);
    this.kind = kind;
    this.position = position;
    this.hint = hint;
  }

  /** The same, elsewhere. */
  at(position: number): AllowlistFinding {
    return new AllowlistFinding(this.kind, this.message, position, this.hint);
  }

  in(text: string): FrameholdError {
    return new FrameholdError(this.kind, this.message, {
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.position === null ? {} : { place: textPlace(text, this.position) }),
    });
  }
}

export function refused(detail: string, position: number | null, hint?: string): AllowlistFinding {
  return new AllowlistFinding('sql_refused', detail, position, hint);
}

export function invalid(detail: string, position: number | null, hint?: string): AllowlistFinding {
  return new AllowlistFinding('sql_invalid', detail, position, hint);
}
