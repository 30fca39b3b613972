import { putFrame } from '../../support/frame-client.ts';
import { Framehold } from '../../support/framehold-process.ts';
import { arrowBytes } from '../../support/python.ts';
import { type GrpcCorpus, makeGrpcCase } from './grpc-cases.ts';
import { exchangeFrames, exchangeGrpc, GrpcConnections } from './grpc-exchange.ts';
import { makeFrames } from './grpc-frames.ts';
import { field } from './grpc-messages.ts';
import { SeededRandom } from './wire-random.ts';
import { type FuzzOptions, type FuzzReport, runCases, watchedFrame } from './wire-run.ts';

const connectionCount = 8;
/** Out of a hundred cases: frames by hand on a connection of their own. The others are calls on connections that stay. */
const framesShare = 30;

/** Calls with odd content, and odd HTTP/2, against a real server. */
export async function fuzzGrpc(options: FuzzOptions): Promise<FuzzReport> {
  const server = await Framehold.start({
    env: { FRAMEHOLD_LOG_LEVEL: 'warn', FRAMEHOLD_MAX_CONNECTIONS: '1000' },
  });
  const address = server.grpcUrl.replace(/^grpc:\/\//, '');
  const connections = new GrpcConnections(address, connectionCount);
  try {
    const corpus = await makeCorpus(server);
    const port = Number(address.split(':').at(-1));
    return await runCases(server, options, async (index) => {
      const random = new SeededRandom(options.seed, index);
      if (random.percent(framesShare)) return await exchangeFrames(port, makeFrames(random));
      return await exchangeGrpc(connections.of(index), makeGrpcCase(random, corpus));
    });
  } finally {
    connections.close();
    await server.remove();
  }
}

async function makeCorpus(server: Framehold): Promise<GrpcCorpus> {
  const streams = await arrowBytes({
    seed: `pa.table({'a': pa.array(range(50), pa.int64()), 'b': [str(n) for n in range(50)]})`,
    wide: `pa.table({'a': pa.array([1, None], pa.int8()), 'l': pa.array([[1], None]), 's': pa.array([{'x': 1}, None])})`,
  });
  await putFrame(server.url, 'seed', streams.seed);
  await putFrame(server.url, 'wide', streams.wide);
  await putFrame(server.url, watchedFrame, streams.seed);
  return { puts: [flightData(streams.seed), flightData(streams.wide)] };
}

/** The messages of an Arrow stream as FlightData. */
function flightData(stream: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at + 8 <= stream.length; ) {
    const headerBytes = stream.readInt32LE(at + 4);
    if (headerBytes === 0) break;
    const header = stream.subarray(at + 8, at + 8 + headerBytes);
    const bodyBytes = bodyLength(header);
    const bodyAt = at + 8 + headerBytes;
    messages.push(
      Buffer.concat([field(2, header), field(1000, stream.subarray(bodyAt, bodyAt + bodyBytes))]),
    );
    at = bodyAt + bodyBytes;
  }
  return messages;
}

/** `bodyLength` of a Message flatbuffer: its fourth field. */
function bodyLength(header: Buffer): number {
  const table = header.readInt32LE(0);
  const vtable = table - header.readInt32LE(table);
  const offset = header.readUInt16LE(vtable) > 10 ? header.readUInt16LE(vtable + 10) : 0;
  return offset === 0 ? 0 : Number(header.readBigInt64LE(table + offset));
}
