/** `npm run bench:slow -- [seconds, 60]`: slow callers of every kind at once, then all of them leave. */
import { slowCrowd } from './slow-crowd.ts';
import { phaseLine } from './watched-server.ts';

/** Of 100 gRPC connections that are allowed by default: 50 readers and 25 uploads have one each. The other 25 uploads come over HTTP. */
const crowd = { httpReaders: 200, flightReaders: 50, flightUploads: 25, httpUploads: 25 };
/** Growth that a garbage collector may show without there being a leak. */
const growthAllowed = 1.05;
const growthAllowedMegabytes = 16;
const freedAllowedMs = 1_000;

const report = await slowCrowd({ ...crowd, seconds: Number(process.argv[2] ?? 60) }, {});
const { memory, freedMs, ended, figures } = report;
const flat = memory.late <= memory.early * growthAllowed + growthAllowedMegabytes;
const freed = freedMs <= freedAllowedMs;
console.log(phaseLine(figures));
console.log(`memory ${memory.early.toFixed(0)} → ${memory.late.toFixed(0)} MB: ${flat ? 'flat' : 'GROWS'}`);
for (const when of ['before', 'during', 'after'] as const)
  console.log(`${when.padEnd(7)} ${JSON.stringify(report[when])}`);
console.log(
  `everything freed ${freedMs} ms after the callers left, wanted ${freedAllowedMs}: ${freed ? 'met' : 'MISSED'}`,
);
console.log(`calls that ended before their time: ${ended}`);
process.exitCode = flat && freed && ended === 0 && figures.ping.met ? 0 : 1;
