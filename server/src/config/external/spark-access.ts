import { isLoopback } from '../loopback.ts';
import { readSecret, secretOf } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import { UsageError } from '../usage-error.ts';

/** How one Spark Connect server is reached. */
export interface SparkApplication {
  /** `sc://…`, without credentials. */
  readonly url: string;
  readonly token: string | null;
  readonly caFile: string | null;
}

/** Which tenant uses which Spark Connect server. */
export interface SparkAccess {
  /** For tenants that are not in `tenants`; null: they have none. */
  readonly shared: SparkApplication | null;
  readonly tenants: ReadonlyMap<string, SparkApplication>;
}

/** null: no tenant has one. UsageError if the settings contradict each other; its text contains no secret. */
export function sparkAccess(settings: Settings): SparkAccess | null {
  const url = settings['spark.url'];
  const urls = settings['spark.tenant_urls'] ?? new Map<string, string>();
  const files = settings['spark.tenant_token_files'] ?? new Map<string, string>();
  checkUse(settings, urls, files);
  if (url === undefined && urls.size === 0) return null;
  const caFile = settings['spark.ca_file'] ?? null;
  const token = secretOf(
    settings['spark.token'],
    settings['spark.token_file'],
    'spark.token',
    'spark.token_file',
  );
  const tenants = [...urls].map(([tenant, own]) => {
    const file = files.get(tenant);
    const secret = file === undefined ? null : readSecret(file, 'spark.token', 'spark.tenant_token_files');
    return [tenant, application(own, secret, caFile, `spark.tenant_urls of ${tenant}`)] as const;
  });
  const shared = url === undefined ? null : application(url, token ?? null, caFile, 'spark.url');
  return { shared, tenants: new Map(tenants) };
}

function application(
  url: string,
  token: string | null,
  caFile: string | null,
  key: string,
): SparkApplication {
  const isEncrypted = usesTls(url);
  if (token !== null && !isEncrypted && !isLoopback(hostOf(url)))
    throw new UsageError(
      `${key}: a token would be sent there without encryption. Add ;use_ssl=true to the URL: sc://host:port/;use_ssl=true`,
    );
  return { url, token, caFile: isEncrypted ? caFile : null };
}

/** What is set and would not be used is a mistake: a token or an authority that nobody checks. */
function checkUse(
  settings: Settings,
  urls: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, string>,
): void {
  const all = [...(settings['spark.url'] === undefined ? [] : [settings['spark.url']]), ...urls.values()];
  if (settings['spark.url'] === undefined)
    for (const key of ['spark.token', 'spark.token_file'] as const)
      if (settings[key] !== undefined) throw new UsageError(`${key} is only used with spark.url.`);
  for (const tenant of files.keys())
    if (!urls.has(tenant))
      throw new UsageError(
        `spark.tenant_token_files has a token for ${tenant}, which has no URL of its own in spark.tenant_urls.`,
      );
  if (settings['spark.ca_file'] !== undefined && !all.some(usesTls))
    throw new UsageError('spark.ca_file is only used with URLs that have ;use_ssl=true.');
  if (settings['spark.attempts_path'] !== undefined && settings['storage.url'] !== undefined)
    throw new UsageError(
      'spark.attempts_path is not used with storage.url: results are written below _attempts/ in the bucket.',
    );
}

function usesTls(url: string): boolean {
  return url.split(';').includes('use_ssl=true');
}

function hostOf(url: string): string {
  return new URL(url).hostname;
}
