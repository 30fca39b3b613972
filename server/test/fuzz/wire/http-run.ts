/** `npm run fuzz:http -- --seed 1 --cases 100000`. What went wrong is printed with the number of its case. */
import { fuzzHttp } from './http-fuzz.ts';
import { fuzzCommand } from './wire-run.ts';

process.exitCode = await fuzzCommand('fuzz:http', fuzzHttp);
