import type { Call } from '../command.ts';
import { completeWords } from '../completion/complete-words.ts';
import { shellScripts } from '../completion/shell-scripts.ts';
import { chooseServer } from '../connection/choose-server.ts';
import { connect } from '../connection/connect.ts';
import { Options } from '../options.ts';
import { UsageError } from '../usage-error.ts';

/** A person waits for it with a finger on the key. */
const waitMs = 1_500;
const namesMax = 1_000;

export async function run(call: Call): Promise<number> {
  const [shell = '', ...words] = call.words;
  // Asked by the scripts.
  if (shell === 'words') return await answerShell(call, words);
  const script = Object.hasOwn(shellScripts, shell) ? shellScripts[shell] : undefined;
  if (script === undefined || words.length > 0)
    throw new UsageError(
      `There is no completion for ${JSON.stringify(words.at(-1) ?? shell)}.`,
      `Allowed: ${Object.keys(shellScripts).join(', ')}.`,
    );
  await call.output.write(script);
  return 0;
}

async function answerShell(call: Call, words: readonly string[]): Promise<number> {
  const { output, environment, host, commands } = call;
  const frames = async (prefix: string, flags: ReadonlyMap<string, string>): Promise<readonly string[]> => {
    try {
      const options = new Options(new Map([...flags].map(([name, value]) => [name, [value]])));
      const client = await connect(chooseServer(options, environment));
      const page = await client.frames.list({ prefix, limit: namesMax, signal: AbortSignal.timeout(waitMs) });
      return page.frames.map(({ name }) => name);
    } catch {
      // An error in the middle of a line that is being typed helps nobody.
      return [];
    }
  };
  const found = await completeWords(words, { commands, serverCommands: host.serverCommands, frames });
  for (const word of found) await output.line(word);
  return 0;
}
