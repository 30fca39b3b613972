import assert from 'node:assert/strict';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { checkStatement } from '../../src/allowlist/check-statement.ts';

/** The error with which the allowlist answers a statement. */
export function refusalOf(sql: string): FrameholdError {
  try {
    const { text } = checkStatement(sql);
    assert.fail(`passed the allowlist: ${text.slice(0, 500)}`);
  } catch (thrown) {
    if (thrown instanceof FrameholdError) return thrown;
    throw thrown;
  }
}
