/** A server with two statements under way, one of them deaf to interrupts, for a test that kills it. */
import { ProcessEngine } from '../../src/engine/process-engine.ts';
import { poolOptions, runToFirst } from './sample-pool.ts';

const engine = await ProcessEngine.open(poolOptions(process.argv[2] ?? ''));
await Promise.all([runToFirst(engine, 'stubborn 600000'), runToFirst(engine, 'place 600000')]);
console.log(`engines ${engine.processIds.join()}`);
setInterval(() => {}, 1_000);
