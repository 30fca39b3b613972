import { FrameholdError } from '../../model/errors.ts';

export interface StartupSettings {
  readonly user: string;
  readonly database: string;
  /** Settings that the client begins with. */
  readonly given: ReadonlyMap<string, string>;
}

/** What a client says of itself when it connects. */
export function startupSettings(parameters: ReadonlyMap<string, string>): StartupSettings {
  const user = parameters.get('user');
  if (user === undefined || user === '')
    throw new FrameholdError('unauthenticated', 'The client gives no user name.', {
      sqlState: '28000',
      hint: 'Any name will do that is no other tenant: framehold.',
    });
  const replication = parameters.get('replication') ?? 'false';
  if (!['false', 'off', 'no', '0'].includes(replication.toLowerCase()))
    throw new FrameholdError('unimplemented', 'Replication is not possible.', {
      hint: 'GET /v1/events tells what changes.',
    });
  const given = new Map<string, string>();
  for (const [name, value] of optionsOf(parameters.get('options') ?? '')) given.set(name, value);
  for (const [name, value] of parameters)
    if (!['user', 'database', 'replication', 'options'].includes(name)) given.set(name.toLowerCase(), value);
  return { user, database: parameters.get('database') ?? user, given };
}

/** `-c name=value --name=value`, with backslashes before blanks that belong to a value. */
function optionsOf(options: string): [string, string][] {
  const words = wordsOf(options);
  const settings: [string, string][] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const written =
      word === '-c'
        ? (words[++at] ?? '')
        : word.startsWith('--')
          ? word.slice(2)
          : word.startsWith('-c')
            ? word.slice(2)
            : null;
    const equals = written?.indexOf('=') ?? -1;
    if (written === null || equals <= 0)
      throw new FrameholdError(
        'bad_request',
        `The option ${JSON.stringify(word.slice(0, 100))} is not understood.`,
        {
          hint: 'Options are settings: -c name=value.',
        },
      );
    settings.push([written.slice(0, equals).replaceAll('-', '_').toLowerCase(), written.slice(equals + 1)]);
  }
  return settings;
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '\\') word += text[++at] ?? '';
    else if (character !== ' ' && character !== '\t') word += character;
    else if (word !== '') {
      words.push(word);
      word = '';
    }
  }
  return word === '' ? words : [...words, word];
}
