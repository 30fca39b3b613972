import { suggest } from '../base/nearest-name.ts';
import { limitRules, limitSettings } from '../config/tenant-limits.ts';
import { UsageError } from '../config/usage-error.ts';
import { type LimitChanges, type LimitName, limitNames } from '../model/limits/tenant-limit-values.ts';
import { isTenant, tenantRule } from '../model/tenant.ts';
import type { ListedTenant, TenantDirectory } from '../ports/tenant-directory.ts';
import type { CommandWords } from './command-words.ts';
import { textTable } from './text-table.ts';

export interface TenantCommand extends CommandWords {
  readonly json: boolean;
  readonly open: () => Promise<TenantDirectory>;
  /** Standard output. */
  readonly print: (text: string) => void;
}

const verbs = ['list', 'show', 'set'] as const;
/** What goes back to the server's limit. */
const defaultWord = 'default';

/** `--bytes-max` for `bytesMax`: named after the setting, without its section. */
export function limitFlag(name: LimitName): string {
  return limitSettings[name].slice('tenant.'.length).replaceAll('_', '-');
}

/** `framehold tenant list|show|set`. Returns the exit code. */
export async function runTenant(command: TenantCommand): Promise<number> {
  const { verb = '', words, options } = command;
  if (!(verbs as readonly string[]).includes(verb))
    throw new UsageError(`framehold tenant needs one of ${verbs.join(', ')}.${suggest(verb, verbs)}`);
  const tenant = tenantIn(verb, words);
  if (verb !== 'set' && options.size > 0)
    throw new UsageError(`The flag --${[...options.keys()][0]} is only allowed with tenant set.`);
  const changes = verb === 'set' ? changesIn(options) : null;
  const directory = await command.open();
  try {
    if (changes !== null) await directory.set(tenant, changes);
    if (verb === 'list') return list(command, await directory.list());
    return show(command, await directory.show(tenant));
  } finally {
    await directory.close();
  }
}

function tenantIn(verb: string, words: readonly string[]): string {
  if (verb === 'list') {
    if (words.length > 0)
      throw new UsageError(`${JSON.stringify(words[0])} is not expected after tenant list.`);
    return '';
  }
  const [tenant = ''] = words;
  if (words.length !== 1) throw new UsageError(`framehold tenant ${verb} needs the name of one tenant.`);
  if (!isTenant(tenant)) throw new UsageError(`${JSON.stringify(tenant)} cannot be a tenant. ${tenantRule}`);
  return tenant;
}

function changesIn(options: ReadonlyMap<string, string>): LimitChanges {
  const changes = limitNames.flatMap((name): [LimitName, number | null][] => {
    const flag = limitFlag(name);
    const raw = options.get(flag);
    if (raw === undefined) return [];
    if (raw === defaultWord) return [[name, null]];
    const value = limitRules[name].parse(raw);
    if (value !== undefined) return [[name, value]];
    throw new UsageError(
      `--${flag} ${JSON.stringify(raw)} is not allowed; it must be ${limitRules[name].allowed}, or ${defaultWord} for the limit of the server.`,
    );
  });
  if (changes.length > 0) return Object.fromEntries(changes);
  const flags = limitNames.map((name) => `--${limitFlag(name)}`);
  throw new UsageError(`framehold tenant set needs a limit: ${flags.join(', ')}.`);
}

function list({ json, print }: TenantCommand, tenants: readonly ListedTenant[]): number {
  if (json) print(`${JSON.stringify({ tenants })}\n`);
  else
    print(
      textTable([
        ['TENANT', 'FRAMES', 'BYTES', 'LIMITS SET'],
        ...tenants.map(({ tenant, frames, bytes, limitsSet }) => [
          tenant,
          String(frames),
          String(bytes),
          Object.entries(limitsSet)
            .map(([name, value]) => `${limitFlag(name as LimitName)}=${value}`)
            .join(' ') || '-',
        ]),
      ]),
    );
  return 0;
}

function show({ json, print }: TenantCommand, shown: ListedTenant): number {
  const { tenant, frames, bytes, limits, limitsSet } = shown;
  if (json) print(`${JSON.stringify(shown)}\n`);
  else
    print(
      textTable([
        ['tenant', tenant],
        ['frames', String(frames)],
        ['bytes', String(bytes)],
        ...limitNames.map((name) => [
          limitFlag(name),
          `${limits[name] ?? 'no limit'}${name in limitsSet ? '' : ' (server)'}`,
        ]),
      ]),
    );
  return 0;
}
