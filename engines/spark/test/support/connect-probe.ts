import { randomUUID } from 'node:crypto';
import { Client, credentials, Metadata } from '@grpc/grpc-js';

/** A server that has just started compiles what its first statement needs: that takes ten seconds on busy cores. */
const deadlineMs = 60_000;

/** Whether a Spark Connect answers `select 1`. Written without the client that the tests are about: it says nothing about Spark if it fails. */
export async function answersStatement(port: number, token: string | null = null): Promise<boolean> {
  const metadata = new Metadata();
  if (token !== null) metadata.set('authorization', `Bearer ${token}`);
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  try {
    return await new Promise((resolve) => {
      const call = client.makeServerStreamRequest(
        '/spark.connect.SparkConnectService/ExecutePlan',
        (request: Buffer) => request,
        (answer: Buffer) => answer,
        selectOne(),
        metadata,
        { deadline: Date.now() + deadlineMs },
      );
      call.on('data', () => {});
      call.on('error', () => resolve(false));
      call.on('end', () => resolve(true));
    });
  } finally {
    client.close();
  }
}

/** `ExecutePlanRequest{session_id = 1, user_context{user_id = 1} = 2, plan{root{sql{query = 1} = 10} = 1} = 3}`. */
function selectOne(): Buffer {
  const query = field(1, field(10, field(1, Buffer.from('select 1'))));
  return Buffer.concat([
    field(1, Buffer.from(randomUUID())),
    field(2, field(1, Buffer.from('probe'))),
    field(3, query),
  ]);
}

/** A field of protobuf that has a length: all of them are short here, so that one byte holds it. */
function field(number: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, value.length]), value]);
}
