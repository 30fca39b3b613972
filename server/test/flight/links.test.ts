/** A caller with a link can read its version, and can neither use Flight SQL nor list anything. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import * as sql from '../../src/flight/gen/FlightSql_pb.js';
import { packAny } from '../../src/flight/sql/any-message.ts';
import { defaultTenant } from '../../src/model/tenant.ts';
import type { Authenticator } from '../../src/ports/authenticator.ts';
import { openAuthenticator } from '../frames/open-authenticator.ts';
import { Harness } from './harness.ts';

const link = {
  tenant: defaultTenant,
  name: 'link',
  scopes: new Set<never>(),
  link: { name: 't', version: 1 },
  isCurrent: () => true,
};
const authenticator: Authenticator = {
  ...openAuthenticator,
  isOpen: false,
  authenticate: (_credentials, visit) => ({ ...link, ...visit }),
};
let harness: Harness;
before(async () => {
  harness = await Harness.start({}, undefined, authenticator);
});
after(() => harness[Symbol.asyncDispose]());

const command = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const info = command(packAny(sql.CommandGetSqlInfoSchema, {}));
const prepared = command(
  packAny(sql.CommandPreparedStatementQuerySchema, { preparedStatementHandle: Buffer.from('any') }),
);
const closing = command(packAny(sql.ActionClosePreparedStatementRequestSchema, {}));
const cases: Readonly<Record<string, string>> = {
  'the list of actions': 'list(client.list_actions())',
  'what the server says of itself': `client.get_flight_info(command('${info}'))`,
  'the columns of that': `client.get_schema(command('${info}'))`,
  'the rows of that': `client.do_get(fl.Ticket(base64.b64decode('${info}'))).read_all()`,
  'a prepared statement of the tenant': `client.get_flight_info(command('${prepared}'))`,
  'closing it': `list(client.do_action(fl.Action('ClosePreparedStatement', base64.b64decode('${closing}'))))`,
  'a session': `list(client.do_action(fl.Action('CloseSession', b'')))`,
};

for (const [what, call] of Object.entries(cases))
  it(`${what}: refused`, async () => {
    const reply = await harness.python.tryRun(
      `import base64
client = state['client']
command = lambda text: fl.FlightDescriptor.for_command(base64.b64decode(text))
${call}`,
    );
    assert.notEqual(reply.error, undefined);
    assert.match(reply.message ?? '', /The link opens one version/);
  });
