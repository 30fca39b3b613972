import { decodeOrKeep } from './raw-query.ts';

/** More than any spelling that somebody means. */
const pathCharactersMax = 200;

/**
 * Whether a URL means `/exec` in any spelling: with slashes more or less, in capitals, percent-encoded, or whole with its host. Most of
 * these are not routed, and yet errors have the form that QuestDB's clients expect.
 */
export function isExecPath(url: string): boolean {
  // What nearly all send.
  if (url.startsWith('/exec?')) return true;
  const [path = ''] = url.slice(0, pathCharactersMax).split(/[?#;]/, 1);
  const steps = decodeOrKeep(path.replace(/^https?:\/\/[^/]*/i, ''))
    .split('/')
    .filter((step) => step !== '' && step !== '.');
  return steps.length === 1 && steps[0]?.toLowerCase() === 'exec';
}
