import type { Call } from '../command.ts';
import { printJson, wantsTable } from '../output/answers.ts';
import { rowsText } from '../output/readable-numbers.ts';

export async function run(call: Call): Promise<number> {
  const [name = ''] = call.words;
  const client = await call.connect();
  const manifest = await client.frames.undrop(name, { signal: call.signal });
  if (wantsTable(call)) await call.output.line(`${manifest.handle}  ${rowsText(manifest.rows)}, is back.`);
  else await printJson(call, manifest);
  return 0;
}
