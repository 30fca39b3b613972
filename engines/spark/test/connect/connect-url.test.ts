import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { ConnectClient } from '../../src/connect/connect-client.ts';
import { addressText, parseConnectUrl } from '../../src/connect/connect-url.ts';

test('a URL of Spark Connect names host, port, TLS and headers', () => {
  assert.deepEqual(parseConnectUrl('sc://spark.example:443/;use_ssl=true;x-databricks-cluster-id=0-a%20b'), {
    host: 'spark.example',
    port: 443,
    tls: true,
    headers: new Map([['x-databricks-cluster-id', '0-a b']]),
  });
  assert.deepEqual(parseConnectUrl('sc://localhost'), {
    host: 'localhost',
    port: 15002,
    tls: false,
    headers: new Map(),
  });
});

test('an address of version 6 is written in brackets, and known without them', () => {
  const address = parseConnectUrl('sc://[::1]:15003/;use_ssl=false');
  assert.equal(address.host, '::1');
  assert.equal(addressText(address), '[::1]:15003');
});

test('what is no such URL, or has unknown keys, is refused with a sentence', () => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['http://host:1', /form sc:\/\/host:port/],
    ['sc://', /form sc:\/\/host:port/],
    ['nonsense', /form sc:\/\/host:port/],
    ['sc://user:secret@host', /user name or a password/],
    ['sc://host/path', /has the path "\/path"/],
    ['sc://host/?token=x', /contains a \? or a #/],
    ['sc://host/;use_ssl=yes', /use true or false/],
    ['sc://host/;flavour=sweet', /the key "flavour", which is not known/],
    ['sc://host/;use_ssl', /not of the form key=value/],
    ['sc://host/;x-a=%zz', /not percent-encoded/],
    ['sc://host/;x-a=%0d%0aauthorization:b', /cannot be sent in a header/],
    ['sc://host/;x-data-bin=1', /cannot be the name of a header/],
  ];
  for (const [url, sentence] of wrong)
    assert.throws(() => parseConnectUrl(url), {
      name: 'FrameholdError',
      kind: 'bad_request',
      message: sentence,
    });
});

test('keys of other clients are refused with what to do instead', () => {
  for (const [key, hint] of [
    ['token', /spark\.token/],
    ['user_id', /a user of its own/],
    ['session_id', /a session of its own/],
  ] as const) {
    assert.throws(
      () => parseConnectUrl(`sc://host/;${key}=abc`),
      (thrown) => thrown instanceof FrameholdError && hint.test(thrown.hint ?? ''),
    );
  }
});

test('a file of certificates without TLS is a mistake', async () => {
  await assert.rejects(ConnectClient.open({ url: 'sc://127.0.0.1', caFile: 'ca.pem' }), {
    kind: 'bad_request',
    message: /no use_ssl=true/,
  });
});
