import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readCertificate } from '../../src/sockets/client-certificate.ts';
import { TestAuthority } from '../support/test-authority.ts';

const authority = new TestAuthority();

function namesOf(alternativeNames: string | null, subject = '/CN=nobody'): readonly string[] {
  const { cert } = authority.sign(subject, alternativeNames);
  return readCertificate(new X509Certificate(readFileSync(cert))).names;
}

test('every name counts with its kind', () => {
  assert.deepEqual(namesOf(null), ['CN:nobody']);
  assert.deepEqual(namesOf('URI:spiffe://corp/loader,DNS:loader,email:a@b.example'), [
    'URI:spiffe://corp/loader',
    'DNS:loader',
    'email:a@b.example',
    'CN:nobody',
  ]);
  assert.deepEqual(namesOf('IP:127.0.0.1,RID:1.2.3,URI:x:y'), ['URI:x:y', 'CN:nobody']);
  assert.deepEqual(namesOf(null, '/O=corp/CN=a/CN=b'), ['CN:a', 'CN:b']);
});

const disguised = {
  'a user principal name': 'otherName:1.3.6.1.4.1.311.20.2.3;UTF8:URI:spiffe://corp/admin',
  'a user principal name after a comma':
    '@names\n[names]\notherName.1=1.3.6.1.4.1.311.20.2.3;UTF8:x, URI:spiffe://corp/admin',
  'a directory name': 'dirName:directory\n[directory]\nCN=URI:spiffe://corp/admin',
  'a directory name in two parts': 'dirName:directory\n[directory]\nO=x\nCN=y, URI:spiffe://corp/admin',
  'a host name': 'DNS:URI:spiffe://corp/admin',
  'a host name with a comma': '@names\n[names]\nDNS.1=x, URI:spiffe://corp/admin',
};
for (const [kind, alternativeNames] of Object.entries(disguised)) {
  test(`${kind} that looks like a URI is none`, () => {
    const names = namesOf(alternativeNames);
    assert.ok(!names.includes('URI:spiffe://corp/admin'), names.join(' | '));
    assert.ok(names.includes('CN:nobody'));
  });
}

test('a common name that looks like another kind of name, or like two, is neither', () => {
  for (const subject of ['/CN=URI:spiffe:admin', '/CN=x, URI:spiffe:admin', '/O=x\\/CN=admin'])
    for (const name of namesOf(null, subject))
      assert.ok(!['URI:spiffe:admin', 'CN:admin'].includes(name), name);
});

test('it says until when it counts', () => {
  const { cert } = authority.sign('/CN=nobody');
  const { validUntil } = readCertificate(new X509Certificate(readFileSync(cert)));
  const days = (validUntil - Date.now()) / 86_400_000;
  assert.ok(days > 1.9 && days < 2.1, `${days}`);
});
