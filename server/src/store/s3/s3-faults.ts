import { FrameholdError } from '../../model/errors.ts';
import type { S3Connection } from './s3-connection.ts';

/** What an answer means for the one who asked. */
export type S3Fault =
  /** The key is not in the bucket. */
  | 'absent'
  /** A conditional write found what it should not have found. */
  | 'exists'
  /** The multipart upload has been completed or aborted. */
  | 'no-upload'
  /** The range begins after the end of the object. */
  | 'no-range'
  /** What is stored is not the wanted object. */
  | 'differs'
  /** Too many requests: it helps to wait. */
  | 'slow-down'
  /** It may work the next time. */
  | 'passing'
  /** It will not work the next time either. */
  | 'refused';

const byName: Readonly<Record<string, S3Fault>> = {
  NoSuchKey: 'absent',
  NotFound: 'absent',
  PreconditionFailed: 'exists',
  // Another write of the same key is under way.
  ConditionalRequestConflict: 'passing',
  NoSuchUpload: 'no-upload',
  InvalidRange: 'no-range',
  SlowDown: 'slow-down',
  TooManyRequests: 'slow-down',
  ThrottlingException: 'slow-down',
  RequestTimeout: 'passing',
  // The client learns the difference of the clocks, or gets new credentials, for the next try.
  RequestTimeTooSkewed: 'passing',
  ExpiredToken: 'passing',
  // The bytes changed on their way.
  BadDigest: 'passing',
  XAmzContentChecksumMismatch: 'passing',
  ObjectDiffers: 'differs',
  NotImplemented: 'refused',
};

interface Thrown {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

export function faultOf(thrown: unknown): S3Fault {
  const { name = '', $metadata } = thrown as Thrown;
  const known = byName[name];
  if (known !== undefined) return known;
  const status = $metadata?.httpStatusCode;
  if (status === 412) return 'exists';
  if (status === 429 || status === 503) return 'slow-down';
  if (name === 'CredentialsProviderError') return 'refused';
  // No answer, half an answer, or the server's own fault.
  return status === undefined || status >= 500 || status < 300 ? 'passing' : 'refused';
}

/** Says nothing about any object: no caller may conclude that something is missing or damaged. */
export function unavailable(
  { bucket, endpoint }: Pick<S3Connection, 'bucket' | 'endpoint'>,
  thrown: unknown,
): FrameholdError {
  const { name = 'Error', message = '', code, $metadata } = thrown as Thrown;
  const status = $metadata?.httpStatusCode;
  const what = status === undefined ? (code ?? name) : `${status} ${name}`;
  const refused = faultOf(thrown) === 'refused';
  return new FrameholdError(
    'unavailable',
    refused
      ? `The object store refused a request of this server (${what}).`
      : `The object store did not answer a request of this server (${what}).`,
    {
      hint: refused
        ? `Check that the bucket ${bucket} exists and that the credentials of this server may read, write, list and delete in it.`
        : `Try again in a moment. If it stays so, check ${endpoint ?? 'the connection to AWS'}.`,
      cause: thrown instanceof Error ? thrown : new Error(message),
    },
  );
}
