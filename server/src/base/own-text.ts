/** The same text, for what is kept: V8 keeps a piece of a text as a place in the whole, so a short name can hold a message of a megabyte. */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
