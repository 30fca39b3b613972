import { FrameholdError } from './errors.ts';

/** Begins the error text of an expression that replaces an unreadable column. */
const unreadableMarker = 'framehold: unreadable column: ';
/** Behind the detail and behind the hint: engines add their own words at the end. */
const endMarker = '\u001f';

/** The text for an expression to fail with, out of which `unreadableError` makes the error. */
export function unreadableText(detail: string, hint: string): string {
  const plain = (text: string) => text.replaceAll('\0', '').replaceAll(endMarker, ' ');
  return `${unreadableMarker}${plain(detail)}${endMarker}${plain(hint)}${endMarker}`;
}

/** null if the engine's message does not come from such an expression. */
export function unreadableError(message: string): FrameholdError | null {
  const marked = message.indexOf(unreadableMarker);
  if (marked < 0) return null;
  const [detail = '', hint] = message.slice(marked + unreadableMarker.length).split(endMarker);
  return new FrameholdError('column_not_readable', detail, hint === undefined ? {} : { hint });
}
