import type { PutTarget } from '../../frames/frames.ts';
import { fingerprintOf } from '../../frames/writing/fingerprints.ts';
import { defaultEngine } from '../../model/engine-name.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { EngineStatement } from '../../ports/engine.ts';
import { parametersText } from '../cache/statement-key.ts';
import type { SqlRequest } from '../sql.ts';

/** bad_request for a condition that means nothing for a statement: to ignore it would be to do what the caller has excluded. */
export function checkConditions({ shape: { kind } }: EngineStatement, request: SqlRequest): void {
  const { conditions, into } = request;
  if (conditions === undefined) return;
  if (into === undefined && (kind === 'query' || kind === 'explain'))
    throw new FrameholdError(
      'bad_request',
      'The statement changes nothing, and the request has a condition.',
      {
        hint: 'Leave out If-Match, If-None-Match and Idempotency-Key, or store the rows with into.',
      },
    );
  if (kind === 'comment')
    throw new FrameholdError('bad_request', 'COMMENT ON takes no condition.', {
      hint: 'A repetition says the same again. PATCH /v1/frames/NAME/notes takes If-Match.',
    });
  if (kind === 'drop' && conditions.idempotencyKey !== undefined)
    throw new FrameholdError('bad_request', 'DROP TABLE does not take an idempotency key.', {
      hint: 'Send the ETag of the frame in If-Match: a repetition then drops nothing else. DROP TABLE IF EXISTS does not fail if it is gone.',
    });
}

/** What a put of its rows has of the conditions. */
export function conditionsOfPut(
  request: SqlRequest,
): Pick<PutTarget, 'ifMatch' | 'idempotencyKey' | 'fingerprint'> {
  const { ifMatch, idempotencyKey } = request.conditions ?? {};
  return {
    ...(ifMatch === undefined ? {} : { ifMatch }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey, fingerprint: statementFingerprint(request) }),
  };
}

/** Everything that decides what a statement does. Not in which form its answer is wanted. */
function statementFingerprint({ sql, parameters, engine, into, conditions }: SqlRequest): string {
  const { name = null, mode = null, ttlMs = 'keep' } = into ?? {};
  const { ifMatch, createOnly = false } = conditions ?? {};
  return fingerprintOf([
    'sql',
    engine ?? defaultEngine,
    sql,
    comparable(parameters),
    into === undefined ? null : [name, mode, ttlMs],
    ifMatch?.text ?? null,
    createOnly,
  ]);
}

function comparable(parameters: SqlRequest['parameters']): string {
  try {
    return parametersText(parameters);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new FrameholdError('bad_request', 'The parameters are nested too deeply to be compared.', {
      hint: 'Send them without an idempotency key, or less deeply nested.',
    });
  }
}
