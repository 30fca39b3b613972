import {
  bind,
  describe,
  execute,
  frame,
  packet,
  parse,
  query,
  RawClient,
  startup,
  sync,
} from '../../server/test/pgwire/raw-client.ts';

/** What the catalogs and the session reveal. OIDs are left out: they are counted over all tenants. */
export const curiousTexts = [
  'select relname, relkind from pg_class order by 1',
  'select nspname from pg_namespace order by 1',
  'select attname from pg_attribute where attnum > 0 order by 1',
  'select rolname from pg_roles order by 1',
  'select datname from pg_database order by 1',
  'select table_schema, table_name from information_schema.tables order by 1, 2',
  'select table_name, column_name, data_type from information_schema.columns order by 1, 2',
  'select description from pg_description order by 1',
  'select usename, query from pg_stat_activity order by 1, 2',
  'select current_user, current_database(), current_schema()',
  "select to_regclass('$near') is null, to_regclass('$foreign') is null",
  "select has_table_privilege('$foreign', 'select')",
  "select '$foreign'::regclass::text",
  'show search_path',
] as const;

/** In `$own`, `$near` and `$foreign` a name is put: of the tenant, near to one, and of the other tenant. */
export const readingTexts = [
  'select count(*) from "$own"',
  'select * from "$own" order by all limit 2',
  'select * from "$own@1" order by all limit 1',
  'select * from "$near"',
  'select * from "$foreign" limit 1',
  'select * from "$own" a, "$foreign" b',
  'explain select * from "$foreign"',
  'copy (select * from "$own" order by all limit 3) to stdout (format csv)',
  'copy "$foreign" to stdout',
  'begin; declare c cursor for select * from "$own" order by all; fetch 2 from c; commit',
  'begin; declare c cursor for select * from "$foreign"; fetch 2 from c',
  'prepare p as select * from "$foreign"; execute p',
  'insert into "$foreign" values (1)',
  'drop table "$foreign"',
  'no statement about "$foreign"',
] as const;

/** What another session was given: its number and its key. */
export type BackendKey = Buffer;

export const noKey: BackendKey = Buffer.alloc(8);

interface Answer {
  /** Every message, but for the key. */
  readonly said: string;
  readonly key: BackendKey;
}

/** One session of PostgreSQL's protocol with one text: simple, or taken apart as drivers do it. */
export async function askPostgres(
  port: number,
  {
    token,
    text,
    isExtended,
  }: { readonly token: string; readonly text: string; readonly isExtended: boolean },
): Promise<Answer> {
  using client = new RawClient(port);
  client.send(startup(), frame('p', token));
  client.send(
    ...(isExtended
      ? [parse(text), describe('S'), bind(), describe('P'), execute('', 2), sync]
      : [query(text)]),
  );
  const said: string[] = [];
  let key = noKey;
  for (let ready = 0; ready < 2; ) {
    const message = await client.next();
    if (message === null) break;
    if (message.letter === 'Z') ready += 1;
    if (message.letter === 'K') key = Buffer.from(message.body);
    else said.push(`${message.letter} ${withoutOids(message.letter, message.body).toString('latin1')}`);
  }
  return { said: said.join('\n'), key };
}

/** As a stranger who has got hold of the key. */
export async function cancelPostgres(port: number, key: BackendKey): Promise<void> {
  using client = new RawClient(port);
  client.send(packet(80_877_102, key));
  await client.answers();
}

/** A description of rows says of each column which table it is of. */
function withoutOids(letter: string, body: Buffer): Buffer {
  if (letter !== 'T') return body;
  const copy = Buffer.from(body);
  for (let at = 2, left = copy.readInt16BE(0); left > 0; left--) {
    const end = copy.indexOf(0, at) + 1;
    copy.writeInt32BE(0, end);
    at = end + 18;
  }
  return copy;
}
