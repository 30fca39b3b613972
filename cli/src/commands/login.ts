import { resolve } from 'node:path';
import type { Status } from '../../../client/src/index.ts';
import type { Call } from '../command.ts';
import { askSecret } from '../connection/ask-secret.ts';
import { checkToken, checkUrl, defaultUrl, readTokenFile } from '../connection/choose-server.ts';
import { connect } from '../connection/connect.ts';
import { checkProfileName, defaultProfile, readProfiles, writeProfiles } from '../connection/profiles.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { safeText } from '../output/safe-text.ts';
import { describeFailure } from '../report-error.ts';
import { readStandardInput } from '../transfer/standard-input.ts';
import { UsageError } from '../usage-error.ts';

/** Far more than a token has. */
const tokenBytesMax = 65_536;

/** The token is tried before anything is saved. */
export async function run(call: Call): Promise<number> {
  const { words, options, environment, errors, output, signal } = call;
  const [word] = words;
  if (word !== undefined && options.has('url'))
    throw new UsageError('The address is given twice.', 'Give it once.');
  const before = readProfiles(environment);
  const name = checkProfileName(options.text('profile') ?? (environment.FRAMEHOLD_PROFILE || defaultProfile));
  const known = Object.hasOwn(before.profiles, name) ? before.profiles[name] : undefined;
  const url = checkUrl(
    word ?? options.text('url') ?? (environment.FRAMEHOLD_URL || known?.url || defaultUrl),
  );
  const token = await tokenFor(call, url);
  const written = options.text('ca') ?? known?.ca;
  const ca = written === undefined ? undefined : resolve(written);
  const client = await connect({ url, token, ca });
  let status: Status;
  try {
    status = await client.status({ signal });
  } catch (error) {
    signal.throwIfAborted();
    errors.write(await describeFailure(error, { url, hasToken: token !== undefined }));
    return exitCodeOf(error);
  }
  if (token !== undefined && isExposed(url))
    errors.write(
      'Warning: the token is sent without encryption to another machine. Use https if the server has it.\n',
    );
  const profile = { url, ...(token === undefined ? {} : { token }), ...(ca === undefined ? {} : { ca }) };
  const path = writeProfiles(environment, {
    current: name,
    profiles: { ...before.profiles, [name]: profile },
  });
  await output.line(safeText(`${url}: ${describe(status)}. Saved as profile ${name} in ${path}.`));
  return 0;
}

function describe({ open, caller }: Status): string {
  if (open) return 'an open server, which wants no token';
  const tenant = caller.tenant === null ? 'operator' : `tenant ${caller.tenant}`;
  return `signed in as ${caller.name}, ${tenant} (${caller.scopes.join(', ')})`;
}

/** From a file, a variable, a pipe or the terminal, never from an argument. */
async function tokenFor({ options, environment, signal }: Call, url: string): Promise<string | undefined> {
  if (options.has('no-token')) return undefined;
  const file = options.text('token-file');
  if (file !== undefined) return readTokenFile(file);
  if (environment.FRAMEHOLD_TOKEN) return checkToken(environment.FRAMEHOLD_TOKEN, 'FRAMEHOLD_TOKEN');
  if (process.stdin.isTTY !== true) {
    const text = new TextDecoder().decode(await readStandardInput(tokenBytesMax));
    return checkToken(text.trim(), 'standard input');
  }
  const typed = await askSecret(`Token for ${url} (nothing is shown; Enter for none): `, signal);
  return typed === '' ? undefined : checkToken(typed, 'what was typed');
}

function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
