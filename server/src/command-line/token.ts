import { suggest } from '../base/nearest-name.ts';
import { UsageError } from '../config/usage-error.ts';
import { parseTtlMs } from '../model/duration.ts';
import { asFrameholdError } from '../model/errors.ts';
import { isScope, type Scope, scopes } from '../model/scope.ts';
import { defaultTenant, isTenant, noTenant, tenantRule } from '../model/tenant.ts';
import type { NewCredential, ShownCredential, Tokens } from '../ports/tokens.ts';
import type { CommandWords } from './command-words.ts';
import { textTable } from './text-table.ts';

export interface TokenCommand extends CommandWords {
  readonly json: boolean;
  readonly open: () => Promise<Tokens>;
  /** Standard output. */
  readonly print: (text: string) => void;
  /** Standard error. */
  readonly printError: (text: string) => void;
}

const verbs = ['create', 'list', 'revoke'] as const;
/** Long enough to forget it, short enough that a lost one ends. `--ttl never` is possible, and has to be said. */
const ttlDefault = '90d';
/** As long as the name of a frame. */
const nameLengthMax = 128;

/** `framehold token create|list|revoke`. Returns the exit code. */
export async function runToken(command: TokenCommand): Promise<number> {
  const { verb, words, options } = command;
  if (verb === undefined || !(verbs as readonly string[]).includes(verb))
    throw new UsageError(`framehold token needs one of ${verbs.join(', ')}.${suggest(verb ?? '', verbs)}`);
  if (verb !== 'create' && options.size > 0)
    throw new UsageError(`The flag --${[...options.keys()][0]} is only allowed with token create.`);
  if (words.length !== (verb === 'revoke' ? 1 : 0))
    throw new UsageError(
      verb === 'revoke'
        ? 'framehold token revoke needs the id of one token.'
        : `${JSON.stringify(words[0])} is not expected after token ${verb}.`,
    );
  const wanted = verb === 'create' ? newCredential(options) : null;
  const tokens = await command.open();
  try {
    if (wanted !== null) return await create(command, tokens, wanted);
    return await (verb === 'list' ? list(command, tokens) : revoke(command, tokens, words[0] ?? ''));
  } finally {
    await tokens.close();
  }
}

function newCredential(options: ReadonlyMap<string, string>): NewCredential {
  const scopes = parseScopes(options.get('scope') ?? 'read');
  const tenant = parseTenant(options, scopes);
  const name = options.get('name') ?? null;
  if (name !== null && !/^[\x20-\x7e]{1,128}$/.test(name))
    throw new UsageError(`--name is 1 to ${nameLengthMax} printable ASCII characters.`);
  return {
    tenant,
    name,
    scopes,
    ttlMs: parseTtl(options.get('ttl') ?? ttlDefault),
    certificate: parseSubject(options.get('certificate')),
  };
}

function parseTenant(options: ReadonlyMap<string, string>, scopes: readonly Scope[]): string {
  const tenant = options.get('tenant');
  if (scopes.includes('operator')) return operatorTenant(options, scopes);
  if (tenant !== undefined && !isTenant(tenant))
    throw new UsageError(`--tenant ${JSON.stringify(tenant)} is not allowed. ${tenantRule}`);
  return tenant ?? defaultTenant;
}

/** Looks after tenants without a way to their frames: so it is of none of them, and nothing else beside it. */
function operatorTenant(options: ReadonlyMap<string, string>, scopes: readonly Scope[]): string {
  if (scopes.length > 1)
    throw new UsageError('--scope operator cannot be combined with another scope: make two tokens.');
  if (options.has('tenant'))
    throw new UsageError('--tenant is not allowed with --scope operator: an operator belongs to no tenant.');
  if (options.has('certificate'))
    throw new UsageError('--certificate is not allowed with --scope operator: only a token can be operator.');
  return noTenant;
}

function parseScopes(text: string): readonly Scope[] {
  const words = text.split(/[ ,]+/).filter((word) => word !== '');
  const unknown = words.find((word) => !isScope(word));
  if (unknown !== undefined || words.length === 0)
    throw new UsageError(
      `--scope ${JSON.stringify(unknown ?? text)} is not a scope. Allowed: ${scopes.join(', ')}, several with commas.`,
    );
  return [...new Set(words.filter(isScope))];
}

function parseTtl(text: string): number | null {
  if (text === 'never') return null;
  try {
    return parseTtlMs(text);
  } catch (error) {
    throw new UsageError(`--${asFrameholdError(error).message} ${asFrameholdError(error).hint} Or never.`);
  }
}

/** Without a kind the common name is meant. */
function parseSubject(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/^[\x20-\x7e]{1,512}$/.test(text))
    throw new UsageError('--certificate is a name of 1 to 512 printable ASCII characters.');
  return /^(CN|URI|DNS|email):/.test(text) ? text : `CN:${text}`;
}

async function create(
  { json, print, printError }: TokenCommand,
  tokens: Tokens,
  wanted: NewCredential,
): Promise<number> {
  const { credential, token } = await tokens.create(wanted);
  if (json)
    print(`${JSON.stringify({ ...(token === null ? {} : { token }), ...forPrograms(credential) })}\n`);
  else if (token === null) print(`${credential.id}\n`);
  else {
    print(`${token}\n`);
    printError('This is the only time that the token is shown; the server keeps a hash of it.\n');
  }
  return 0;
}

async function list({ json, print }: TokenCommand, tokens: Tokens): Promise<number> {
  const credentials = await tokens.list();
  if (json) print(`${JSON.stringify({ tokens: credentials.map(forPrograms) })}\n`);
  else print(table(credentials));
  return 0;
}

async function revoke(
  { json, print, printError }: TokenCommand,
  tokens: Tokens,
  text: string,
): Promise<number> {
  const id = await tokens.revoke(text);
  if (id === null) {
    printError('framehold: There is no such token. framehold token list shows their ids.\n');
    return 1;
  }
  print(json ? `${JSON.stringify({ revoked: id })}\n` : `${id} is revoked.\n`);
  return 0;
}

function forPrograms({ tenant, createdAt, expiresAt, revokedAt, ...rest }: ShownCredential): object {
  return {
    ...rest,
    tenant: tenant === noTenant ? null : tenant,
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    revokedAt: iso(revokedAt),
  };
}

function table(credentials: readonly ShownCredential[]): string {
  const rows = credentials.map((credential) => [
    credential.id,
    credential.tenant === noTenant ? '-' : credential.tenant,
    credential.scopes.join(','),
    stateOf(credential),
    credential.certificate ?? credential.name,
  ]);
  return textTable([['ID', 'TENANT', 'SCOPES', 'STATE', 'NAME'], ...rows]);
}

function stateOf({ revokedAt, expiresAt }: ShownCredential): string {
  if (revokedAt !== null) return `revoked ${iso(revokedAt)}`;
  if (expiresAt === null) return 'never expires';
  return `${expiresAt > Date.now() ? 'until' : 'expired'} ${iso(expiresAt)}`;
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
