/** Puts, appends, reads in every format, drops and expiries over HTTP at fixed rates, for ever: `soak-http.ts URL NUMBER`. Prints counts. */
const [url = '', number = '0'] = process.argv.slice(2);
const rowsOfPut = 2_000;
const names = 6;
const appendsMax = 30;
const formats = ['json', 'csv', 'ndjson', 'arrow', 'parquet'];
/** Steps a second. One that comes while as many are still under way is left out, and counted. */
const stepEveryMs = 100;
const openMax = 8;
/** What may happen while names come and go: not there, gone, and races between appends. */
const expected = new Set([404, 409, 410, 412]);

const counts = { done: 0, expected: 0, failed: 0, late: 0 };
let open = 0;
let step = 0;
let failure = '';

function csv(from: number): string {
  const lines = ['id,price,name'];
  for (let row = from; row < from + rowsOfPut; row++)
    lines.push(`${row},${(row * 7919) % 1_000}.25,name ${row % 97}`);
  return `${lines.join('\n')}\n`;
}

function ndjson(from: number): string {
  return Array.from(
    { length: rowsOfPut },
    (_, row) => `${JSON.stringify({ id: from + row, text: `row ${row}` })}\n`,
  ).join('');
}

function request(): [method: string, path: string, type?: string, body?: string] {
  const name = `h${number}-${Math.floor(step / 10) % names}`;
  switch (step % 10) {
    case 0:
      return ['PUT', `/v1/frames/${name}`, 'text/csv', csv(step)];
    case 1:
      return ['PUT', `/v1/frames/n-${name}?ttl=2`, 'application/x-ndjson', ndjson(step)];
    case 2:
      // Begun anew from time to time, so that the frame does not grow for ever.
      return Math.floor(step / 10) % appendsMax === 0
        ? ['PUT', `/v1/frames/a${number}`, 'text/csv', csv(step)]
        : ['POST', `/v1/frames/a${number}/append`, 'text/csv', csv(step)];
    case 3:
      return ['GET', `/v1/frames/a${number}/rows?fmt=${formats[Math.floor(step / 10) % formats.length]}`];
    case 9:
      return Math.floor(step / 10) % 3 === 0
        ? ['DELETE', `/v1/frames/${name}?purge=true`]
        : ['GET', `/v1/frames?limit=10`];
    case 5:
      return ['GET', `/exec?handle=${name}&fmt=json&limit=${step % 500}`];
    default:
      return ['GET', `/v1/frames/${name}/rows?fmt=${formats[step % formats.length]}`];
  }
}

async function run(): Promise<void> {
  const [method, path, type, body] = request();
  const headers = type === undefined ? {} : { 'content-type': type };
  const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  await answer.arrayBuffer();
  if (answer.ok) counts.done += 1;
  else if (expected.has(answer.status)) counts.expected += 1;
  else throw new Error(`${method} ${path}: ${answer.status}`);
}

setInterval(() => {
  if (open >= openMax) {
    counts.late += 1;
    return;
  }
  open += 1;
  run()
    .catch((error: unknown) => {
      counts.failed += 1;
      failure = String(error);
    })
    .finally(() => {
      open -= 1;
    });
  step += 1;
}, stepEveryMs);
setInterval(() => console.log(JSON.stringify({ ...counts, failure })), 500);
