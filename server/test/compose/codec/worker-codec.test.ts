import { WorkerCodec } from '../../../src/compose/codec/worker-codec.ts';
import { testCodec } from './codec-conformance.ts';

testCodec(
  'worker codec',
  () =>
    new WorkerCodec({
      checkThreads: 2,
      decodeThreads: 2,
      transcodeThreads: 1,
      limits: { batchBytesMax: 1024 ** 3, timeMs: 30_000 },
      decodeMemoryBytesMax: 2 * 1024 ** 3,
      compression: { algorithm: 'zstd', level: 3 },
    }),
);
