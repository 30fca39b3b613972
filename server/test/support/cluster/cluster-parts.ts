import { PostgresServer } from '../postgres-server.ts';
import { type S3Kind, type S3Server, startS3 } from '../s3-server.ts';

/** PostgreSQL and an S3, started for the first cluster of a test file and stopped after its last. */
export interface ClusterParts {
  readonly postgres: PostgresServer;
  readonly s3: S3Server;
}

/** Long runs use MinIO too. */
const s3Kind: S3Kind = process.env.TEST_S3 === 'minio' ? 'minio' : 'versitygw';

let shared: Promise<ClusterParts> | null = null;
let users = 0;

export async function useParts(): Promise<ClusterParts> {
  users += 1;
  shared ??= startParts();
  return await shared;
}

/** Whoever is last stops them. */
export async function leaveParts(): Promise<void> {
  users -= 1;
  if (users > 0 || shared === null) return;
  const parts = await shared;
  shared = null;
  await Promise.all([parts.postgres.stop(), parts.s3.stop()]);
}

/** For tests that stop or pause them: parts of their own. */
export async function startParts(): Promise<ClusterParts> {
  const [postgres, s3] = await Promise.all([PostgresServer.start(), startS3(s3Kind)]);
  return { postgres, s3 };
}
