import type { EngineFunction, EngineVocabulary } from '../../../../server/src/ports/engine.ts';
import { SqlBaseLexer } from './gen/SqlBaseLexer.js';
import { aggregateFunctions, scalarFunctions, tableFunctions } from './lists/allowed-functions.ts';

/** The words that a statement for Spark can use. */
export function allowlistVocabulary(): EngineVocabulary {
  const functions: EngineFunction[] = [
    ...offered(scalarFunctions, 'scalar'),
    ...offered(aggregateFunctions, 'aggregate'),
    ...offered(tableFunctions, 'table'),
  ];
  const keywords = SqlBaseLexer.literalNames.flatMap((name) => {
    const word = name?.replaceAll("'", '') ?? '';
    return /^[A-Z][A-Z_]+$/.test(word) ? [word] : [];
  });
  return {
    functions: functions.sort((left, right) => (left.name < right.name ? -1 : 1)),
    keywords: keywords.sort(),
  };
}

function offered(names: ReadonlySet<string>, kind: EngineFunction['kind']): EngineFunction[] {
  return [...names].map((name) => ({ name, kind, parameters: [], description: null }));
}
