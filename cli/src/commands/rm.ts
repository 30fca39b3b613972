import { createInterface } from 'node:readline/promises';
import type { Call } from '../command.ts';
import { withFrameHint } from '../frame-hint.ts';
import { printJson, wantsTable } from '../output/answers.ts';
import { UsageError } from '../usage-error.ts';

export async function run(call: Call): Promise<number> {
  const { words, options, signal, output } = call;
  const purge = options.has('purge');
  if (purge && !options.has('yes')) await confirm(call);
  const client = await call.connect();
  for (const handle of words) {
    await withFrameHint(client, handle, () =>
      client.frames.drop(handle, { signal, ...(purge ? { purge } : {}) }),
    );
    if (!wantsTable(call)) await printJson(call, { dropped: handle, purged: purge });
    else if (purge) await output.line(`${handle} is removed for good.`);
    else
      await output.line(
        handle.includes('@')
          ? `${handle} is dropped.`
          : `${handle} is dropped. framehold undrop ${handle} brings it back.`,
      );
  }
  return 0;
}

async function confirm({ words, signal }: Call): Promise<void> {
  if (process.stdin.isTTY !== true)
    throw new UsageError('--purge removes frames for good.', 'Give --yes, too, if that is what you want.');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  // The terminal is in raw mode: Ctrl-C arrives here, not as a signal.
  asking.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const question = asking.question(`Remove ${words.join(', ')} for good? [y/N] `, { signal });
    // Ctrl-D is a no.
    const answer = await question.catch(() => '');
    signal.throwIfAborted();
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    asking.close();
  }
  throw new UsageError('Nothing was removed.');
}
