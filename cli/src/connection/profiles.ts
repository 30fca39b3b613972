import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileError, LocalError } from '../local-error.ts';
import { UsageError } from '../usage-error.ts';

export interface Profile {
  readonly url: string;
  readonly token?: string;
  /** Path of certificates to trust. */
  readonly ca?: string;
}

export interface Profiles {
  /** The one that is used if none is named. */
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const defaultProfile = 'default';
const noProfiles: Profiles = { current: defaultProfile, profiles: {} };
const profileName = /^[A-Za-z0-9_.-]{1,64}$/;

export function checkProfileName(name: string): string {
  if (profileName.test(name) && name !== '__proto__') return name;
  throw new UsageError(
    `${JSON.stringify(name)} cannot be the name of a profile.`,
    'Use 1 to 64 of A-Z a-z 0-9 _ . -',
  );
}

function configDirectory(environment: Environment): string {
  return join(environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config'), 'framehold');
}

/** For what is remembered between runs, such as the history of the SQL shell. */
export function stateDirectory(environment: Environment): string {
  return join(
    environment.XDG_STATE_HOME || join(environment.HOME || homedir(), '.local', 'state'),
    'framehold',
  );
}

export function profilesFile(environment: Environment): string {
  return join(configDirectory(environment), 'profiles.json');
}

/** Refused if other users could read it: it has tokens. */
export function readProfiles(environment: Environment): Profiles {
  const path = profilesFile(environment);
  let text: string;
  try {
    if ((statSync(path).mode & 0o077) !== 0)
      throw new LocalError(`Other users can access ${path}, which has tokens.`, `Run chmod 600 ${path}`);
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return noProfiles;
    throw fileError(thrown, path);
  }
  return parseProfiles(text, path);
}

/** Complete or not at all, and never readable for others. */
export function writeProfiles(environment: Environment, profiles: Profiles): string {
  const path = profilesFile(environment);
  const staged = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    rmSync(staged, { force: true });
    writeFileSync(staged, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    chmodSync(staged, 0o600);
    renameSync(staged, path);
  } catch (thrown) {
    rmSync(staged, { force: true });
    throw fileError(thrown, path);
  }
  return path;
}

function parseProfiles(text: string, path: string): Profiles {
  try {
    const { current, profiles } = JSON.parse(text) as Partial<Profiles>;
    const entries = Object.entries(profiles ?? {});
    if (typeof current === 'string' && entries.every(([, { url }]) => typeof url === 'string'))
      return { current, profiles: Object.fromEntries(entries) };
  } catch {
    // Said below.
  }
  throw new LocalError(`${path} is not a file of profiles.`, `Remove it and run framehold login.`);
}
