import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { HostNames } from '../../../src/http/hooks/host-names.ts';

const hosts = new HostNames(['data.example.com']);
const fine = [
  undefined,
  '',
  'localhost',
  'localhost:9000',
  'LOCALHOST:9000',
  'localhost.',
  '127.0.0.1:9000',
  '[::1]:9000',
  '[fe80::1]',
  '10.1.2.3',
  'framehold:9000',
  'framehold.prod.svc.cluster.local:9000',
  'nas.home.arpa',
  'a.localhost:1',
  'data.example.com',
  'Data.Example.Com:443',
  'data.example.com.:443',
  hostname(),
];
for (const host of fine) test(`${host} is this server`, () => assert.equal(hosts.allows(host), true));

const strange = [
  'evil.example',
  'evil.example:9000',
  'example.com',
  'x.data.example.com',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil.example#localhost',
  'a b',
  'localhost@evil.example',
  'localhost:9000:1',
  '[::1].evil.example',
  '1.2.3.4.5',
  'local.evil',
];
for (const host of strange) test(`${host} is not this server`, () => assert.equal(hosts.allows(host), false));
