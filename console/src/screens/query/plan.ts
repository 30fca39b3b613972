/** A query plan as `EXPLAIN (FORMAT JSON)` has it, with or without ANALYZE. */
export interface PlanStep {
  readonly name: string;
  /** What it does: its filters, the columns it reads, … */
  readonly details: readonly (readonly [string, readonly string[]])[];
  /** Rows that came out of it, or are expected to. */
  readonly rows: number | null;
  readonly timeMs: number | null;
  readonly steps: readonly PlanStep[];
}

export interface Plan {
  readonly steps: readonly PlanStep[];
  /** Of all steps; null if the statement was not run. */
  readonly totalMs: number | null;
  /** The plan as text, if it is not JSON. */
  readonly text: string | null;
}

interface Written {
  readonly name?: unknown;
  readonly operator_name?: unknown;
  readonly operator_type?: unknown;
  readonly operator_timing?: unknown;
  readonly operator_cardinality?: unknown;
  readonly latency?: unknown;
  readonly extra_info?: unknown;
  readonly children?: unknown;
}

/** Plans are deep for large statements only; what is deeper than this is left out rather than overflowing the stack. */
const depthMax = 500;

export function parsePlan(text: string): Plan {
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch {
    return { steps: [], totalMs: null, text };
  }
  const roots = (Array.isArray(written) ? written : [written]) as Written[];
  const [first] = roots;
  const totalMs = typeof first?.latency === 'number' ? first.latency * 1_000 : null;
  // With ANALYZE, the outermost is the statement, and within it the explaining itself.
  const steps = roots.flatMap((root) =>
    nameOf(root) === '' ? stepsOf(root.children, 1) : [stepOf(root, 1)],
  );
  const inner = steps.flatMap((step) => (step.name === 'Explain analyze' ? step.steps : [step]));
  return { steps: inner, totalMs, text: null };
}

/** The step's share of the time of all steps, 0 to 1. */
export function slowestMs(steps: readonly PlanStep[]): number {
  return steps.reduce((most, step) => Math.max(most, step.timeMs ?? 0, slowestMs(step.steps)), 0);
}

function stepsOf(children: unknown, depth: number): PlanStep[] {
  if (!Array.isArray(children) || depth > depthMax) return [];
  return (children as Written[]).map((child) => stepOf(child, depth));
}

function stepOf(written: Written, depth: number): PlanStep {
  const info = Object.entries((written.extra_info ?? {}) as Record<string, unknown>);
  const estimate = info.find(([key]) => key === 'Estimated Cardinality')?.[1];
  const { operator_timing: seconds, operator_cardinality: rows } = written;
  return {
    name: readable(nameOf(written)),
    details: info
      .filter(([key]) => key !== 'Estimated Cardinality')
      .map(([key, value]) => [key, textsOf(value)] as const)
      .filter(([, texts]) => texts.length > 0),
    rows: typeof rows === 'number' ? rows : typeof estimate === 'string' ? Number(estimate) : null,
    timeMs: typeof seconds === 'number' ? seconds * 1_000 : null,
    steps: stepsOf(written.children, depth + 1),
  };
}

function nameOf({ name, operator_name, operator_type }: Written): string {
  for (const each of [name, operator_name, operator_type])
    if (typeof each === 'string' && each.trim() !== '') return each.trim();
  return '';
}

/** `PERFECT_HASH_GROUP_BY` → `Perfect hash group by` */
function readable(name: string): string {
  const words = name.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  const text = String(value ?? '').trim();
  return text === '' ? [] : text.split('\n');
}
