/**
 * One row appended to one frame, as CSV and as Arrow in turn: what the way of a text costs beside that of a stream.
 * `node bench/appends/one-row.ts [rounds]`
 */
import { send } from '../../server/test/support/frame-client.ts';
import { builtCommand, Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';

const rounds = Number(process.argv[2] ?? 100);
const { row, other } = await arrowBytes({
  row: "pa.table({'name': ['b'], 'price': [2.0]})",
  other: "pa.table({'price': [2], 'name': pa.array(['b'], pa.large_utf8())})",
});
const bodies = {
  Arrow: { type: 'application/vnd.apache.arrow.stream', body: row },
  CSV: { type: 'text/csv', body: 'name,price\nb,2\n' },
  NDJSON: { type: 'application/x-ndjson', body: '{"name":"b","price":2}\n' },
  'Arrow, converted': { type: 'application/vnd.apache.arrow.stream', body: other },
} as const;

const framehold = await Framehold.start({ command: builtCommand });
try {
  await send(framehold.url, '/v1/frames/prices', row, { status: 201 });
  const times = Object.fromEntries(Object.keys(bodies).map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++)
    for (const [name, { type, body }] of Object.entries(bodies)) {
      const began = performance.now();
      await send(framehold.url, '/v1/frames/prices/rows', body, { method: 'POST', type, status: 200 });
      times[name]?.push(performance.now() - began);
    }
  const medianOf = (name: string) =>
    (times[name] ?? []).toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
  for (const name of Object.keys(bodies))
    console.log(
      `${name.padEnd(17)} first ${times[name]?.[0]?.toFixed(1)} ms, median ${medianOf(name).toFixed(1)} ms, ${(medianOf(name) / medianOf('Arrow')).toFixed(1)} times Arrow`,
    );
} finally {
  await framehold.remove();
}
