/** The matrix once more for ADBC over TLS, where the certificate of the connection says who is calling. */
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type CertificateFilesOf, TestAuthority } from '../../../server/test/support/test-authority.ts';
import { type Cell, cellsOf, type Holder, holders, isLink, tenants } from './cells.ts';
import { adbcAsks } from './sql-asks.ts';
import { askAdbc } from './sql-ways.ts';
import { Stage } from './stage.ts';

const through = Object.keys(holders).filter(
  // A certificate cannot be an operator.
  (holder) => holder !== 'link-in-url' && holder !== 'other-link' && holder !== 'operator',
) as Holder[];
const authority = new TestAuthority();
const elsewhere = new TestAuthority('Somebody else');
const root = readFileSync(authority.cert);
const certificates = new Map<Holder, CertificateFilesOf>();
let stage: Stage;

before(async () => {
  const server = authority.signServer();
  stage = await Stage.start(
    {
      FRAMEHOLD_TLS_CERT_FILE: server.cert,
      FRAMEHOLD_TLS_KEY_FILE: server.key,
      FRAMEHOLD_TLS_CLIENT_CA_FILE: authority.cert,
    },
    { ca: root },
  );
  for (const holder of through) {
    // The caller with a link has a certificate, too: the link is what counts.
    if (holder === 'none' || isLink(holder)) continue;
    certificates.set(holder, authority.sign(`/CN=${holder}`));
    register(holder);
  }
});
after(() => stage[Symbol.asyncDispose]());

function register(holder: Holder): void {
  if (holder === 'wrong') return;
  const { tenant, scopes } = holders[holder] ?? { tenant: tenants.owner, scopes: ['admin'] as const };
  const ttlMs = holder === 'expired' ? 1 : 3_600_000;
  const id = stage.credentials.create({ tenant, scopes: [...scopes], ttlMs, certificate: `CN:${holder}` });
  if (holder === 'revoked') stage.credentials.revoke(id);
}

const option = (name: string) => `adbc.flight.sql.client_option.${name}`;

function optionsOf(cell: Cell<unknown>): Readonly<Record<string, string>> {
  const files = certificates.get(isLink(cell.holder) ? 'admin' : cell.holder);
  return {
    [option('tls_root_certs')]: root.toString(),
    ...(files === undefined ? {} : mutual(files)),
    ...(isLink(cell.holder)
      ? { 'adbc.flight.sql.authorization_header': `Bearer ${stage.linkFor(cell)}` }
      : {}),
  };
}

function mutual({ cert, key }: CertificateFilesOf): Record<string, string> {
  return {
    [option('mtls_cert_chain')]: readFileSync(cert, 'utf8'),
    [option('mtls_private_key')]: readFileSync(key, 'utf8'),
  };
}

test('ADBC with a client certificate', async (t) => {
  const cells = cellsOf('mtls', adbcAsks, through);
  await stage.prepare(cells);
  await stage.verify('mtls', cells, await askAdbc(stage, cells, optionsOf));
  t.diagnostic(`${cells.length} cells`);
});

test('a certificate of another authority identifies nobody, whatever name it has', async () => {
  const files = elsewhere.sign('/CN=admin');
  const cells = cellsOf('elsewhere', adbcAsks, ['wrong']);
  await stage.prepare(cells);
  const outcomes = await askAdbc(stage, cells, (cell) => ({ ...optionsOf(cell), ...mutual(files) }));
  await stage.verify('elsewhere', cells, outcomes);
});
