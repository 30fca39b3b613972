const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
/** String.fromCharCode takes its characters as arguments, and engines take about 65,000 of those. */
const charactersAtOnce = 32_768;

/** A mark at the beginning belongs to the text. */
export function utf8Text(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

export function base64Text(bytes: Uint8Array): string {
  let characters = '';
  for (let start = 0; start < bytes.length; start += charactersAtOnce)
    characters += String.fromCharCode(...bytes.subarray(start, start + charactersAtOnce));
  return btoa(characters);
}

export function uuidText(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
