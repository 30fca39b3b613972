/** `npm run fuzz:grpc -- --seed 1 --cases 100000`. What went wrong is printed with the number of its case. */
import { fuzzGrpc } from './grpc-fuzz.ts';
import { fuzzCommand } from './wire-run.ts';

process.exitCode = await fuzzCommand('fuzz:grpc', fuzzGrpc);
