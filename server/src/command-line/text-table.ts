/** Lines with aligned columns; the last column is not padded. */
export function textTable(lines: readonly (readonly string[])[]): string {
  const columns = Math.max(...lines.map((line) => line.length)) - 1;
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) => `${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`)
    .join('');
}
