/** PostgreSQL keeps no character 0 in a text. A statement that has one is refused anyway, but what was sent is to be found in its history. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\u{fffd}');
}
