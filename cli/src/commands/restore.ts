import type { Call } from '../command.ts';
import { withFrameHint } from '../frame-hint.ts';
import { newKey } from '../idempotency-key.ts';
import { printJson, wantsTable } from '../output/answers.ts';
import { rowsText } from '../output/readable-numbers.ts';
import { parseVersionedName } from '../versioned-name.ts';

export async function run(call: Call): Promise<number> {
  const [handle = ''] = call.words;
  const { name, version } = parseVersionedName(handle);
  const client = await call.connect();
  const options = { signal: call.signal, idempotencyKey: newKey() };
  const manifest = await withFrameHint(client, handle, () => client.frames.restore(name, version, options));
  if (wantsTable(call))
    await call.output.line(`${manifest.handle}  ${rowsText(manifest.rows)}, those of version ${version}.`);
  else await printJson(call, manifest);
  return 0;
}
