/** A profile as DuckDB writes it with EXPLAIN (ANALYZE, FORMAT JSON). */
type Node = Readonly<Record<string, unknown>>;

/** Notes of an operator that show where files are. */
const placeNotes = /file|path|director/i;

/** The profile of a statement without the places of files, as JSON. */
export function profileJson(text: string): string {
  return JSON.stringify(cleaned(JSON.parse(text) as Node), null, 2);
}

/** The same for people: an operator to a line, what it reads from indented below it. */
export function profileText(text: string): string {
  const root = cleaned(JSON.parse(text) as Node);
  const lines = [`Total time: ${seconds(root.latency)}`];
  for (const child of childrenOf(root)) {
    // The first operator is the explaining itself.
    const shown = child.operator_type === 'EXPLAIN_ANALYZE' ? childrenOf(child) : [child];
    for (const node of shown) print(node, 0, lines);
  }
  return `${lines.join('\n')}\n`;
}

function print(node: Node, depth: number, lines: string[]): void {
  const indent = '  '.repeat(depth);
  const rows = String(node.operator_cardinality ?? '?');
  lines.push(
    `${indent}${String(node.operator_name).trim()}  (${rows} rows, ${seconds(node.operator_timing)})`,
  );
  for (const [key, value] of Object.entries((node.extra_info ?? {}) as Node))
    lines.push(
      `${indent}    ${key}: ${Array.isArray(value) ? value.join(', ') : String(value).replaceAll('\n', ', ')}`,
    );
  for (const child of childrenOf(node)) print(child, depth + 1, lines);
}

function cleaned(node: Node): Node {
  const { query_name: _, ...rest } = node;
  const notes = Object.entries((node.extra_info ?? {}) as Node).filter(
    ([key]) => !placeNotes.test(key) || key.startsWith('Total'),
  );
  return { ...rest, extra_info: Object.fromEntries(notes), children: childrenOf(node).map(cleaned) };
}

function childrenOf(node: Node): readonly Node[] {
  return (node.children ?? []) as readonly Node[];
}

function seconds(value: unknown): string {
  return `${Number(value ?? 0).toFixed(4)} s`;
}
