import type { EngineName } from '@framehold/client';
import type { Signal } from '@preact/signals';
import { status } from '../../server/api.ts';
import { MenuButton } from '../../ui/menu.tsx';

export const engineLabels: Readonly<Record<EngineName, string>> = { duckdb: 'DuckDB', spark: 'Spark' };

const hints: Readonly<Record<EngineName, string>> = {
  duckdb: 'On one machine',
  spark: 'On several machines, another dialect',
};

/** EXPLAIN and changes are for the engine of one machine. */
export function isDistributed(engine: EngineName | null): boolean {
  return engine === 'spark';
}

/** What runs the statements of a tab. Only on servers that have a choice. */
export function EngineChoice({ engine }: { readonly engine: Signal<EngineName | null> }) {
  const engines = status.value?.engines ?? [];
  if (engines.length < 2) return null;
  const chosen = engine.value ?? engines[0] ?? 'duckdb';
  const items = engines.map((name) => ({
    label: engineLabels[name],
    hint: hints[name],
    checked: name === chosen,
    run: () => {
      engine.value = name === engines[0] ? null : name;
    },
  }));
  return (
    <MenuButton label="Engine" kind="quiet" items={items}>
      <span class="unseen">Engine: </span>
      {engineLabels[chosen]}
    </MenuButton>
  );
}
