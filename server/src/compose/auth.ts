import { CachedCredentials } from '../auth/cached-credentials.ts';
import { CachedLimits } from '../auth/cached-limits.ts';
import {
  CredentialAuthenticator,
  type CredentialAuthenticatorDependencies,
} from '../auth/credential-authenticator.ts';
import { CredentialStore } from '../auth/credential-store.ts';
import type { KeySource } from '../auth/jwt-keys.ts';
import type { JwtVerifier } from '../auth/jwt-verifier.ts';
import { linkKeyFile } from '../auth/link-key-file.ts';
import { LinkSigner } from '../auth/link-signer.ts';
import type { Settings } from '../config/settings.ts';
import { tenantLimitValues } from '../config/tenant-limits.ts';
import { type Audit, limitsChanged } from '../frames/access/audit.ts';
import { LimitsInForce } from '../frames/limits/limits-in-force.ts';
import { RateLimit } from '../frames/limits/rate-limit.ts';
import { FrameholdError } from '../model/errors.ts';
import type { LimitChanges } from '../model/limits/tenant-limit-values.ts';
import type { CredentialSource } from '../ports/credential-source.ts';
import type { LinkKeys } from '../ports/link-keys.ts';
import type { Observe } from '../ports/observation.ts';
import type { Database } from '../postgres/database.ts';
import { Certificates } from '../sockets/certificates.ts';
import { dataPaths } from './data-paths.ts';

export interface Auth {
  readonly authenticator: CredentialAuthenticator;
  readonly links: LinkSigner;
  /** null: no TLS. */
  readonly certificates: Certificates | null;
  /** Those that have, or had, a token or a certificate here. */
  readonly tenants: () => Iterable<string>;
  /** Those that were set for single tenants. */
  readonly keptLimits: CachedLimits;
  readonly limits: LimitsInForce;
  readonly rate: RateLimit;
}

interface AuthDependencies extends Pick<CredentialAuthenticatorDependencies, 'isLinkInForce'> {
  readonly observe: Observe;
  readonly audit: Audit;
  readonly now: () => number;
  /** Of the shared catalog, if there is one: credentials and keys are in it, and the server is never open. */
  readonly database: Database | null;
  /** How many nodes share the requests of a tenant. */
  readonly nodes: () => number;
}

interface AccessSource {
  readonly credentials: CredentialSource;
  readonly linkKeys: LinkKeys;
}

/** Everything about authentication. */
export async function composeAuth(
  settings: Settings,
  { observe, audit, isLinkInForce, now, database, nodes }: AuthDependencies,
  made: AsyncDisposableStack,
): Promise<Auth> {
  const certificates = composeCertificates(settings, observe);
  if (certificates !== null) made.defer(() => certificates.close());
  const jwt = await composeJwt(settings, now);
  const source = database === null ? localSource(settings, made) : await sharedSource(database, now, made);
  const links = new LinkSigner(source.linkKeys);
  const required =
    settings['auth.required'] ||
    source.credentials.isDistant ||
    jwt !== null ||
    settings['tls.client_ca_file'] !== undefined;
  const credentials = made.adopt(new CachedCredentials(source.credentials, now), (open) => open.close());
  const reportChange = (tenant: string, changes: LimitChanges) => observe(limitsChanged(tenant, changes));
  const keptLimits = made.adopt(await CachedLimits.open(source.credentials, reportChange), (open) =>
    open.close(),
  );
  const limits = new LimitsInForce(tenantLimitValues(settings), keptLimits);
  const rate = new RateLimit(limits.of, () => performance.now(), nodes);
  const authenticator = new CredentialAuthenticator({
    credentials,
    links,
    isLinkInForce,
    jwt,
    required,
    rate,
    audit,
    now,
  });
  const tenants = () => [...credentials.tenants, ...keptLimits.tenants];
  return { authenticator, links, certificates, tenants, keptLimits, limits, rate };
}

function localSource(settings: Settings, made: AsyncDisposableStack): AccessSource {
  const paths = dataPaths(settings);
  const credentials = made.adopt(CredentialStore.open(paths.credentials), (open) => open.close());
  return { credentials, linkKeys: linkKeyFile(paths.linkKey) };
}

async function sharedSource(
  database: Database,
  now: () => number,
  made: AsyncDisposableStack,
): Promise<AccessSource> {
  const [{ PostgresCredentials }, { PostgresLinkKeys }] = await Promise.all([
    import('../auth/postgres/postgres-credentials.ts'),
    import('../auth/postgres/postgres-link-keys.ts'),
  ]);
  const linkKeys = made.adopt(await PostgresLinkKeys.open(database, now), (open) => open.close());
  return { credentials: new PostgresCredentials(database), linkKeys };
}

async function composeJwt(settings: Settings, now: () => number): Promise<JwtVerifier | null> {
  const issuer = settings['auth.jwt_issuer'];
  const audience = settings['auth.jwt_audience'];
  const source = keySource(settings);
  if (issuer === undefined && audience === undefined && source === null) return null;
  // An issuer serves many programs: without the audience a token for another one would be valid here, too.
  if (issuer === undefined || audience === undefined || source === null)
    throw incomplete(
      'JSON Web Tokens need an issuer, an audience and keys.',
      'Set auth.jwt_issuer, auth.jwt_audience, and auth.jwt_keys_url or auth.jwt_keys_file; or none of them.',
    );
  const [{ JwtVerifier }, { jwtKeys }] = await Promise.all([
    import('../auth/jwt-verifier.ts'),
    import('../auth/jwt-keys.ts'),
  ]);
  return new JwtVerifier(
    {
      issuer,
      audience,
      tenantClaim: settings['auth.jwt_tenant_claim'],
      scopeClaim: settings['auth.jwt_scope_claim'],
      scopePrefix: settings['auth.jwt_scope_prefix'] ?? '',
      keys: jwtKeys(source),
    },
    now,
  );
}

function keySource(settings: Settings): KeySource | null {
  const url = settings['auth.jwt_keys_url'];
  const file = settings['auth.jwt_keys_file'];
  if (url !== undefined && file !== undefined)
    throw incomplete(
      'The keys of the issuer are named twice.',
      'Set auth.jwt_keys_url or auth.jwt_keys_file, not both.',
    );
  if (url !== undefined) return { url, maxAgeMs: settings['auth.jwt_keys_max_age_ms'] };
  return file === undefined ? null : { file };
}

function composeCertificates(settings: Settings, observe: Observe): Certificates | null {
  const cert = settings['tls.cert_file'];
  const key = settings['tls.key_file'];
  const clientCa = settings['tls.client_ca_file'] ?? null;
  if (cert === undefined && key === undefined && clientCa === null) return null;
  if (cert === undefined || key === undefined)
    throw incomplete('TLS needs a certificate and its key.', 'Set tls.cert_file and tls.key_file.');
  const files = { cert, key, clientCa, clientRequired: settings['tls.client_auth'] === 'required' };
  try {
    return new Certificates(files, settings['tls.reload_ms'], {
      reloaded: () => observe({ event: 'certificates-reloaded' }),
      failed: (error) => observe({ event: 'certificates-failed', error }),
    });
  } catch (cause) {
    throw incomplete(
      `The certificate cannot be used: ${(cause as Error).message}.`,
      'tls.cert_file and tls.key_file (and tls.client_ca_file) are PEM files that belong together.',
    );
  }
}

function incomplete(detail: string, hint: string): FrameholdError {
  return new FrameholdError('bad_request', detail, { hint });
}
