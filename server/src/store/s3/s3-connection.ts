import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

/** Where the bucket is and how to speak to it. It is sent to the threads that do, so it has names of files and no secrets. */
export interface S3Connection {
  readonly bucket: string;
  /** Without slashes at its ends; empty: the bucket has nothing else in it. */
  readonly prefix: string;
  /** null: AWS. */
  readonly endpoint: string | null;
  /** null: as the environment or the AWS configuration files say. */
  readonly region: string | null;
  /** The bucket's name in the path and not in the host name, as most servers other than AWS want it. */
  readonly pathStyle: boolean;
  readonly caFile: string | null;
  /** Both or none. null: the standard AWS chain. */
  readonly accessKeyFile: string | null;
  readonly secretKeyFile: string | null;
  readonly encryption: 'none' | 'AES256' | 'aws:kms';
  readonly kmsKey: string | null;
  /** Requests under way at once. */
  readonly requestsMax: number;
}

/** Of an endpoint that is not AWS: none of them looks at it, but it is part of every signature. */
const otherRegion = 'us-east-1';
/** A server that is there accepts at once; more only delays the next try. */
const connectMs = 3_000;
/** Keys are read again so often, so that they can be replaced while the server runs. The client asks five minutes before they end. */
const keysSeconds = 360;

/** `keepAlive: false`: each request has a connection of its own. */
export function s3Client(
  connection: S3Connection,
  { keepAlive }: { readonly keepAlive: boolean } = { keepAlive: true },
): S3Client {
  const { endpoint, region, pathStyle, caFile, accessKeyFile, secretKeyFile, requestsMax } = connection;
  const sockets = { keepAlive, maxSockets: requestsMax };
  const config: S3ClientConfig = {
    forcePathStyle: pathStyle,
    // Requests are repeated by `S3Requests`, which knows what a repeated one may find.
    maxAttempts: 1,
    // Uploads carry a checksum of their own, and downloads are compared with the catalog's hash.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: connectMs,
      httpAgent: sockets,
      httpsAgent: caFile === null ? sockets : { ...sockets, ca: readFileSync(caFile) },
    },
    ...(endpoint === null ? {} : { endpoint }),
    ...(region !== null ? { region } : endpoint !== null ? { region: otherRegion } : {}),
    ...(accessKeyFile !== null && secretKeyFile !== null
      ? { credentials: () => keysIn(accessKeyFile, secretKeyFile) }
      : {}),
  };
  const client = new S3Client(config);
  // The checksum of the body is among the signed headers; hashing the body for the signature as well would only cost time.
  client.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> };
      headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      return next(args);
    },
    { step: 'build', name: 'unsignedPayload' },
  );
  return client;
}

async function keysIn(accessKeyFile: string, secretKeyFile: string) {
  const [accessKeyId, secretAccessKey] = await Promise.all(
    [accessKeyFile, secretKeyFile].map(async (file) => (await readFile(file, 'utf8')).trim()),
  );
  const expiration = new Date(Date.now() + keysSeconds * 1_000);
  return { accessKeyId: accessKeyId ?? '', secretAccessKey: secretAccessKey ?? '', expiration };
}
