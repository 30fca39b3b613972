import type { StatementShape } from '../../../ports/engine.ts';
import { lowerCase } from '../sql-tokens.ts';
import { argumentsOf, callingByName, repeatableFunctions, wordsThatCall } from './repeatable-functions.ts';

type Tree = Readonly<Record<string, unknown>>;

/**
 * What of a query over frames alone is the same whenever it reads the same versions, by the tree of the engine's own parser. The types of its columns follow
 * from the text and from the schemas of the frames; its rows do if they are made by reviewed functions, without a sample.
 */
export function whatRepeats(statement: unknown): NonNullable<StatementShape['repeats']> {
  try {
    return isRepeatable(statement) ? 'rows' : 'columns';
  } catch (thrown) {
    // Nested too deeply to look at.
    if (thrown instanceof RangeError) return 'columns';
    throw thrown;
  }
}

function isRepeatable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isRepeatable);
  const tree = value as Tree;
  if ('function_name' in tree && !isRepeatableCall(tree)) return false;
  if (tree.class === 'COLUMN_REF' && isCallingWord(tree.column_names)) return false;
  // DESCRIBE and SUMMARIZE: what they call is not in the tree.
  if (tree.type === 'SHOW_REF') return false;
  if ('sample' in tree && tree.sample !== null) return false;
  return Object.values(tree).every(isRepeatable);
}

function isRepeatableCall(tree: Tree): boolean {
  if (typeof tree.function_name !== 'string') return false;
  const name = lowerCase(tree.function_name);
  if (!repeatableFunctions.has(name)) return false;
  const children = Array.isArray(tree.children) ? (tree.children as readonly Tree[]) : [];
  const count = argumentsOf.get(name);
  if (count !== undefined && children.length !== count) return false;
  return !callingByName.has(name) || isRepeatableName(children[1]);
}

function isRepeatableName(argument: Tree | undefined): boolean {
  if (argument?.class !== 'CONSTANT') return false;
  const { value } = argument.value as Tree;
  return typeof value === 'string' && repeatableFunctions.has(lowerCase(value));
}

function isCallingWord(names: unknown): boolean {
  const [first] = Array.isArray(names) ? names : [];
  return typeof first !== 'string' || wordsThatCall.has(lowerCase(first));
}
