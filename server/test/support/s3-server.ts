import { mkdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { Child } from './child-process.ts';
import { freePort } from './free-port.ts';
import { partsFolder } from './repository.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

/** The S3 servers that tests run on: versitygw always, MinIO in long runs, because it takes minutes to compile. */
export type S3Kind = 'versitygw' | 'minio';

export interface S3Server {
  /** `http://127.0.0.1:port`. */
  readonly endpoint: string;
  readonly port: number;
  /** A bucket that is there and empty at first. */
  readonly bucket: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** The environment that the standard AWS chain reads the credentials from. */
  readonly env: Readonly<Record<string, string>>;
  /** Another empty bucket. */
  newBucket(): Promise<string>;
  /** Ends the process, with everything in memory; the objects stay. */
  kill(): Promise<void>;
  /** On the same port, after `kill`. */
  startAgain(): Promise<void>;
  /** Connections are accepted by the kernel, and nobody answers. */
  pause(): void;
  resume(): void;
  /** For questions that the store does not ask. */
  client(): S3Client;
  stop(): Promise<void>;
}

const accessKey = 'test-access';
const secretKey = 'test-secret-key';
const region = 'us-east-1';

/** Files of a certificate for 127.0.0.1, and of the authority that has signed it. Only versitygw takes them. */
export interface S3Certificate {
  readonly cert: string;
  readonly key: string;
  readonly authority: string;
}

interface Recipe {
  readonly binary: string;
  args(port: number, folder: string, tls: readonly string[]): readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly health: string;
}

const recipes: Readonly<Record<S3Kind, Recipe>> = {
  versitygw: {
    binary: join(partsFolder, 'bin', 'versitygw-v1.8.0'),
    args: (port, folder, tls) => [
      ...['--port', `127.0.0.1:${port}`, '--health', '/health', '--keep-alive', '--quiet', ...tls, 'posix'],
      ...['--sidecar', made(folder, 'meta'), made(folder, 'data')],
    ],
    env: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
    health: '/health',
  },
  minio: {
    binary: join(partsFolder, 'bin', 'minio-v0.0.0-20260212201848-7aac2a2c5b7c'),
    args: (port, folder) => ['server', '--quiet', '--address', `127.0.0.1:${port}`, made(folder, 'data')],
    env: { MINIO_ROOT_USER: accessKey, MINIO_ROOT_PASSWORD: secretKey, MINIO_BROWSER: 'off' },
    health: '/minio/health/ready',
  },
};

/** A real S3 server on loopback, with one bucket. */
export async function startS3(kind: S3Kind = 'versitygw', tls?: S3Certificate): Promise<S3Server> {
  const recipe = recipes[kind];
  const folder = temporaryFolder(kind);
  const port = await freePort();
  const endpoint = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const tlsArgs = tls === undefined ? [] : ['--cert', tls.cert, '--key', tls.key];
  const start = async () => {
    const child = new Child({
      command: recipe.binary,
      args: recipe.args(port, folder, tlsArgs),
      env: { HOME: folder, ...recipe.env },
    });
    await child.until('answer to its health check', async () => {
      if (tls !== undefined) return (await accepts(port)) ? true : null;
      const answer = await fetch(endpoint + recipe.health).catch(() => null);
      return answer?.ok ? true : null;
    });
    return child;
  };
  let child = await start();
  const client = () =>
    new S3Client({
      endpoint,
      region,
      forcePathStyle: true,
      credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
      ...(tls === undefined ? {} : { requestHandler: { httpsAgent: { ca: readFileSync(tls.authority) } } }),
    });
  let count = 0;
  const newBucket = async () => {
    const bucket = `bucket-${++count}`;
    const asking = client();
    await asking.send(new CreateBucketCommand({ Bucket: bucket }));
    asking.destroy();
    return bucket;
  };
  return {
    endpoint,
    port,
    bucket: await newBucket(),
    region,
    accessKey,
    secretKey,
    env: { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey, AWS_REGION: region },
    newBucket,
    kill: () => child.stop('SIGKILL'),
    async startAgain() {
      child = await start();
    },
    pause: () => child.signal('SIGSTOP'),
    resume: () => child.signal('SIGCONT'),
    client,
    async stop() {
      child.signal('SIGCONT');
      await child.stop();
      removeFolder(folder);
    },
  };
}

function made(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
