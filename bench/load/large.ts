/** `npm run bench:large -- [GB, 10]`: a large frame through every interface, with memory and `/ping` watched. */
import { largeFrame } from './large-frame.ts';

const memoryAllowedMegabytes = 1_000;
const gigabytes = Number(process.argv[2] ?? 10);
const report = await largeFrame(gigabytes, {}, console.log);
const equal = new Set(report.hashes).size === 1;
const memoryMet = report.peakMegabytes < memoryAllowedMegabytes;
const pingMet = report.phases.every((phase) => phase.ping.met);
console.log(`values equal in all ${report.hashes.length} transfers: ${equal ? 'yes' : 'NO'}`);
console.log(
  `peak ${report.peakMegabytes.toFixed(0)} MB, wanted below ${memoryAllowedMegabytes}: ${memoryMet ? 'met' : 'MISSED'}`,
);
console.log(`/ping: ${pingMet ? 'met' : 'MISSED'}`);
process.exitCode = equal && memoryMet && pingMet ? 0 : 1;
