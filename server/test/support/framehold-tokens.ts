import { execFileSync } from 'node:child_process';
import { serverCommand } from './framehold-process.ts';
import { sharedCatalogOf } from './shared-catalogs.ts';

/** Runs `framehold token …` on a data directory, as an operator does, and gives what it printed for programs. */
export function frameholdToken(dataDirectory: string, ...words: readonly string[]): Record<string, unknown> {
  return frameholdCommand(dataDirectory, ['token', ...words]);
}

/** The same for `framehold tenant …`. */
export function frameholdTenant(dataDirectory: string, ...words: readonly string[]): Record<string, unknown> {
  return frameholdCommand(dataDirectory, ['tenant', ...words]);
}

function frameholdCommand(dataDirectory: string, words: readonly string[]): Record<string, unknown> {
  const [command, ...first] = serverCommand;
  const shared = sharedCatalogOf(dataDirectory);
  shared?.close();
  const place = shared === undefined ? ['--data-dir', dataDirectory] : ['--catalog-url', shared.url];
  const text = execFileSync(command, [...first, ...words, ...place, '--json'], {
    encoding: 'utf8',
    env: { HOME: dataDirectory, PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return JSON.parse(text) as Record<string, unknown>;
}

/** A new token's text. */
export function newToken(dataDirectory: string, tenant: string, scope: string, ttl = '1h'): string {
  const { token } = frameholdToken(
    dataDirectory,
    'create',
    '--tenant',
    tenant,
    '--scope',
    scope,
    '--ttl',
    ttl,
  );
  return String(token);
}
