import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Finding, found, problem, warning } from '../commands/finding.ts';
import { tsdbAccess } from '../config/external/tsdb-access.ts';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { UsageError } from '../config/usage-error.ts';

/** For anything that should answer at once. */
const waitMs = 5_000;
const dayMs = 86_400_000;
/** Long enough to renew a certificate without haste. */
const expiresSoonMs = 14 * dayMs;

/** The part of `framehold doctor` that needs the server's settings. It changes nothing, and a server may run meanwhile. */
export async function checkServer(flags: ReadonlyMap<string, string>): Promise<readonly Finding[]> {
  const { config, ...settingFlags } = Object.fromEntries(flags);
  let settings: Settings;
  try {
    const sources = { environment: process.env, directory: process.cwd(), configFile: config };
    settings = loadSettings({ ...sources, flags: new Map(Object.entries(settingFlags)) }).settings;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [
      problem(
        'settings',
        error.message,
        'docs/reference/settings.md has every setting; framehold config shows those in force.',
      ),
    ];
  }
  const [{ examineData }, { examinePorts }] = await Promise.all([
    import('../commands/doctor.ts'),
    import('../commands/doctor-ports.ts'),
  ]);
  return [
    found('settings', 'are valid'),
    ...(await examinePorts(settings)),
    ...checkCertificate(settings, Date.now()),
    ...(await examineData(settings)),
    await checkUpstream(settings),
  ];
}

function checkCertificate(settings: Settings, now: number): readonly Finding[] {
  const [certFile, keyFile] = [settings['tls.cert_file'], settings['tls.key_file']];
  if (certFile === undefined || keyFile === undefined)
    return [{ check: 'TLS', state: 'skipped', detail: 'is not configured (tls.cert_file)' }];
  try {
    const certificate = new X509Certificate(readFileSync(certFile));
    const ends = Date.parse(certificate.validTo);
    if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile))))
      return [
        problem(
          'TLS',
          `${keyFile} is not the key of ${certFile}.`,
          'Give the two files that belong together.',
        ),
      ];
    if (ends < now)
      return [
        problem(
          'TLS',
          `${certFile} expired on ${certificate.validTo}.`,
          'Renew it; the server reads it again by itself.',
        ),
      ];
    if (ends - now < expiresSoonMs)
      return [
        warning(
          'TLS',
          `${certFile} expires on ${certificate.validTo}.`,
          'Renew it; the server reads it again by itself.',
        ),
      ];
    return [found('TLS', `${certFile} is valid until ${certificate.validTo}`)];
  } catch (error) {
    return [
      problem('TLS', (error as Error).message, 'tls.cert_file and tls.key_file must be readable PEM files.'),
    ];
  }
}

async function checkUpstream(settings: Settings): Promise<Finding> {
  const check = 'external database';
  const access = tsdbAccess(settings);
  if (access === null) return { check, state: 'skipped', detail: 'is not configured (tsdb.http_url)' };
  const { url, authorization } = access;
  try {
    const answer = await fetch(`${url}/exec?query=${encodeURIComponent('SELECT 1')}`, {
      headers: authorization === null ? {} : { authorization },
      signal: AbortSignal.timeout(waitMs),
    });
    await answer.body?.cancel();
    if (answer.ok) return found(check, `${url} answers`);
    const isRefused = answer.status === 401 || answer.status === 403;
    return problem(
      check,
      `${url} answers with the status ${answer.status}.`,
      isRefused
        ? 'Check tsdb.username and tsdb.password, or tsdb.token.'
        : 'Check that tsdb.http_url is the HTTP port of QuestDB.',
    );
  } catch {
    return problem(check, `${url} does not answer.`, 'Start the database, or correct tsdb.http_url.');
  }
}
