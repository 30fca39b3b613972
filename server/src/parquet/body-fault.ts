import { MalformedArrow } from '../arrow/malformed-arrow.ts';
import { FrameholdError } from '../model/errors.ts';
import { ParquetFault } from './parquet-fault.ts';

const fatalHint =
  'The file is damaged, or needs too much memory: write it again with smaller row groups, fewer columns or snappy.';

/** Turns what the readers of uploads throw about the bytes into the error that the sender sees. Any other error stays as it is. */
export function bodyFault(thrown: unknown, what: string): unknown {
  if (!(thrown instanceof MalformedArrow || thrown instanceof ParquetFault)) return thrown;
  const isFatal = thrown instanceof ParquetFault && thrown.fatal;
  return new FrameholdError('bad_body', `The body is not ${what}: ${thrown.message}.`, {
    cause: thrown,
    ...(isFatal ? { hint: fatalHint } : {}),
  });
}
