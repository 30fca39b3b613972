/** `npm run fuzz:pgwire -- --seed 1 --cases 500000`. What went wrong is printed with the number of its case. */
import { fuzzPgwire } from './pgwire-fuzz.ts';
import { fuzzCommand } from './wire-run.ts';

process.exitCode = await fuzzCommand('fuzz:pgwire', fuzzPgwire, 500_000);
