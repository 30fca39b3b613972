import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Harness } from './harness.ts';

/** Code → the error's class in pyarrow and a piece of its text. */
const refused: readonly (readonly [what: string, code: string, error: string, text: RegExp])[] = [
  [
    'an unknown frame',
    `client.do_get(fl.Ticket(b'nothing')).read_all()`,
    'FlightServerError|ArrowKeyError|KeyError',
    /There is no frame nothing\. Put it first\./,
  ],
  [
    'a handle that is none',
    `client.do_get(fl.Ticket(b'a b')).read_all()`,
    'ArrowInvalid',
    /not a valid name/,
  ],
  ['a ticket for no frame', `client.do_get(fl.Ticket(b'{}')).read_all()`, 'ArrowInvalid', /names no frame/],
  [
    'a ticket with a field that it does not have',
    `client.do_get(fl.Ticket(b'{"name": "x", "rows": 3}')).read_all()`,
    'ArrowInvalid',
    /no field "rows".*name, id, offset, limit/,
  ],
  [
    'a ticket from a row before the first',
    `client.do_get(fl.Ticket(b'{"name": "x", "offset": -1}')).read_all()`,
    'ArrowInvalid',
    /whole number from 0 as offset/,
  ],
  [
    'info for a command without a name',
    `client.get_flight_info(fl.FlightDescriptor.for_command(b'{}'))`,
    'ArrowInvalid',
    /names no frame/,
  ],
  [
    'info for an empty command',
    `client.get_flight_info(fl.FlightDescriptor.for_command(b''))`,
    'ArrowInvalid',
    /PATH descriptor/,
  ],
  [
    'more endpoints than are given',
    `client.get_flight_info(fl.FlightDescriptor.for_command(b'{"name": "x", "endpoints": 65}'))`,
    'ArrowInvalid',
    /65 endpoints; 1 to 64/,
  ],
  [
    'no endpoint at all',
    `client.get_flight_info(fl.FlightDescriptor.for_command(b'{"name": "x", "endpoints": 0}'))`,
    'ArrowInvalid',
    /0 endpoints; 1 to 64/,
  ],
  [
    'info for bytes that are no command',
    `client.get_flight_info(fl.FlightDescriptor.for_command(b'x'))`,
    'ArrowInvalid',
    /Flight SQL/,
  ],
  ['info for a long path', `client.get_flight_info(path('a', 'b'))`, 'ArrowInvalid', /one element/],
  [
    'a put by a command that Flight SQL does not have',
    `put(client, fl.FlightDescriptor.for_command(b'\\x0a\\x01x'), table())`,
    'NotImplementedError|ArrowNotImplementedError',
    /Flight SQL/,
  ],
  [
    'a put with a misspelt field',
    `put(client, fl.FlightDescriptor.for_command(b'{"nam": "x"}'), table())`,
    'ArrowInvalid',
    /no field "nam".*idempotencyKey/,
  ],
  [
    'a put with a wrong mode',
    `put(client, fl.FlightDescriptor.for_command(b'{"mode": "merge"}'), table())`,
    'ArrowInvalid',
    /create, replace, append/,
  ],
  [
    'a put with a wrong ttl',
    `put(client, fl.FlightDescriptor.for_command(b'{"ttl": "soon"}'), table())`,
    'ArrowInvalid',
    /time to live/,
  ],
  [
    'a put with a command that is no JSON',
    `put(client, fl.FlightDescriptor.for_command(b'{'), table())`,
    'ArrowInvalid',
    /not JSON/,
  ],
  [
    'a put of what exists',
    `put(client, path('there'), table()); put(client, fl.FlightDescriptor.for_command(b'{"name": "there", "mode": "create"}'), table())`,
    'ArrowException|FlightServerError|ArrowKeyError|ArrowInvalid',
    /there exists\. Use another mode\./,
  ],
  [
    'an unknown action',
    `list(client.do_action(fl.Action('explode', b'{}')))`,
    'NotImplementedError|ArrowNotImplementedError',
    /drop, undrop, restore, expire, keep, versions/,
  ],
  [
    'an action named like a member of every object',
    `list(client.do_action(fl.Action('constructor', b'{}')))`,
    'NotImplementedError|ArrowNotImplementedError',
    /no such action/,
  ],
  [
    'an action without a frame',
    `list(client.do_action(fl.Action('drop', b'{}')))`,
    'ArrowInvalid',
    /"handle" and "name"/,
  ],
  [
    'an action that expires nothing',
    `list(client.do_action(fl.Action('expire', b'{"name": "there"}')))`,
    'ArrowInvalid',
    /no ttl/,
  ],
  [
    'an exchange',
    `writer, reader = client.do_exchange(path('x')); reader.read_all()`,
    'NotImplementedError|ArrowNotImplementedError',
    /DoExchange is not offered.*DoPut/,
  ],
];

describe('Flight failures, as pyarrow sees them', () => {
  let harness: Harness;
  before(async () => {
    harness = await Harness.start();
  });
  after(() => harness[Symbol.asyncDispose]());

  for (const [what, code, error, text] of refused) {
    it(`refuses ${what}`, async () => {
      const reply = await harness.python.tryRun(`client = state['client']\n${code}`);
      assert.match(reply.error ?? 'no error', new RegExp(`^(${error})$`), reply.message);
      assert.match(reply.message ?? '', text);
    });
  }

  it('shows the request id of an unexpected fault and nothing else', async () => {
    const list = harness.frames.list;
    harness.frames.list = () => Promise.reject(new Error('secret: /etc/passwd'));
    const reply = await harness.python.tryRun(`list(state['client'].list_flights())`);
    harness.frames.list = list;
    const failed = harness.events('request-failed').at(-1);
    assert.equal(failed?.kind, 'internal');
    assert.match(String(failed?.cause), /secret/);
    assert.match(reply.message ?? '', new RegExp(`request id ${failed?.requestId}`));
    assert.doesNotMatch(reply.message ?? '', /secret/);
    assert.equal(harness.events('flight-call').at(-1)?.status, 13);
  });

  it('leaves nothing open', () => {
    const { begun, committed, aborted, readings } = harness.frames.counts;
    assert.equal(begun, committed + aborted);
    assert.equal(readings, 0);
  });
});
