import { FrameholdError, type TextPlace } from '../../../frames/errors.ts';

/** Lines end as in editors: at a line feed, at a carriage return, at both together. */
function textPlace(text: string, position: number): TextPlace {
  let line = 1;
  let lineStart = 0;
  for (let index = 0; index < position; index++) {
    const character = text[index];
    if (character !== '\n' && (character !== '\r' || text[index + 1] === '\n')) continue;
    line += 1;
    lineStart = index + 1;
  }
  return { position, line, column: position - lineStart + 1 };
}

/** What is wrong at a position of a text, before it is known which text the caller has written. */
export class GateFinding extends Error {
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
  at(position: number): GateFinding {
    return new GateFinding(this.kind, this.message, position, this.hint);
  }

  in(text: string): FrameholdError {
    return new FrameholdError(this.kind, this.message, {
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.position === null ? {} : { place: textPlace(text, this.position) }),
    });
  }
}

export function refused(detail: string, position: number | null, hint?: string): GateFinding {
  return new GateFinding('sql_refused', detail, position, hint);
}

export function invalid(detail: string, position: number | null, hint?: string): GateFinding {
  return new GateFinding('sql_invalid', detail, position, hint);
}
