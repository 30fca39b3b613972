import { readFileSync, statSync } from 'node:fs';
import { nearestName } from '../../../server/src/base/nearest-name.ts';
import { fileError, LocalError } from '../local-error.ts';
import type { Options } from '../options.ts';
import { UsageError } from '../usage-error.ts';
import { type Profile, type Profiles, readProfiles } from './profiles.ts';

export const defaultUrl = 'http://127.0.0.1:9000';

export interface ChosenServer {
  readonly url: string;
  readonly urlFrom: string;
  readonly token: string | undefined;
  readonly tokenFrom: string;
  readonly ca: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `--url`, else FRAMEHOLD_URL, else the profile, else the local default; the token likewise. */
export function chooseServer(options: Options, environment: Environment): ChosenServer {
  const named = options.text('profile') ?? (environment.FRAMEHOLD_PROFILE || undefined);
  const written = options.text('url') ?? (environment.FRAMEHOLD_URL || undefined);
  const profiles = readProfiles(environment);
  const { name, profile } = chooseProfile(profiles, named, written);
  const url = checkUrl(written ?? profile?.url ?? defaultUrl);
  const urlFrom = options.has('url')
    ? '--url'
    : written !== undefined
      ? 'FRAMEHOLD_URL'
      : profile === undefined
        ? 'default'
        : `profile ${name}`;
  const ca = options.text('ca') ?? profile?.ca;
  return { url, urlFrom, ca, ...chooseToken(options, environment, url, name, profile) };
}

/** The token of a profile is sent to the server of that profile only. */
function chooseToken(
  options: Options,
  environment: Environment,
  url: string,
  name: string,
  profile: Profile | undefined,
): Pick<ChosenServer, 'token' | 'tokenFrom'> {
  const file = options.text('token-file');
  if (file !== undefined) return { token: readTokenFile(file), tokenFrom: file };
  const variable = environment.FRAMEHOLD_TOKEN;
  if (variable) return { token: checkToken(variable, 'FRAMEHOLD_TOKEN'), tokenFrom: 'FRAMEHOLD_TOKEN' };
  if (profile?.token !== undefined && isSameServer(profile.url, url))
    return { token: profile.token, tokenFrom: `profile ${name}` };
  return { token: undefined, tokenFrom: 'none' };
}

function chooseProfile(
  { current, profiles }: Profiles,
  named: string | undefined,
  url: string | undefined,
): { readonly name: string; readonly profile: Profile | undefined } {
  const find = (name: string) => (Object.hasOwn(profiles, name) ? profiles[name] : undefined);
  if (named !== undefined) {
    const profile = find(named);
    if (profile !== undefined) return { name: named, profile };
    const near = nearestName(named, Object.keys(profiles));
    throw new UsageError(
      `There is no profile ${JSON.stringify(named)}.`,
      `${near === undefined ? '' : `Did you mean ${near}? `}framehold login --profile ${named} makes it.`,
    );
  }
  const profile = find(current);
  if (url === undefined || (profile !== undefined && isSameServer(profile.url, url)))
    return { name: current, profile };
  // An address that some profile has is meant to be used with its token.
  const same = Object.entries(profiles).find(([, each]) => isSameServer(each.url, url));
  return same === undefined ? { name: current, profile: undefined } : { name: same[0], profile: same[1] };
}

function isSameServer(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && baseOf(one) === baseOf(other);
}

function baseOf(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.endsWith('/') ? pathname : `${pathname}/`}`;
}

export function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new UsageError(
      `${JSON.stringify(text)} is not the address of a server.`,
      `Write it with http:// or https://, as in ${defaultUrl}`,
    );
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      'The address has a user or a password in it.',
      'Remove it; a token belongs into FRAMEHOLD_TOKEN, a --token-file or a profile.',
    );
  return text;
}

export function readTokenFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
    // A pipe of the shell, as in --token-file <(pass framehold), is private anyway.
    if (statSync(path).isFile() && (statSync(path).mode & 0o077) !== 0)
      throw new LocalError(`Other users can access ${path}, which has a token.`, `Run chmod 600 ${path}`);
  } catch (thrown) {
    throw fileError(thrown, path);
  }
  return checkToken(text.trim(), path);
}

/** A header cannot have anything else in it. The token itself is not shown. */
export function checkToken(token: string, from: string): string {
  if (/^[\x21-\x7e]{1,8192}$/.test(token)) return token;
  throw new LocalError(
    token === '' ? `There is no token in ${from}.` : `What is in ${from} is not a token.`,
    'A token is one line of printable ASCII characters, as framehold token create prints it.',
  );
}
