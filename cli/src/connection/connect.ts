import { readFileSync } from 'node:fs';
import { Framehold } from '../../../client/src/index.ts';
import { fileError, LocalError } from '../local-error.ts';
import type { ChosenServer } from './choose-server.ts';
import { httpFetch } from './http-fetch.ts';

/** A client of the chosen server. */
export async function connect({
  url,
  token,
  ca,
}: Pick<ChosenServer, 'url' | 'token' | 'ca'>): Promise<Framehold> {
  if (ca !== undefined) await trust(ca);
  return new Framehold({ url, fetch: httpFetch, ...(token === undefined ? {} : { token }) });
}

/** For this process: in addition to what Node trusts. */
async function trust(path: string): Promise<void> {
  let certificates: string;
  try {
    certificates = readFileSync(path, 'utf8');
  } catch (thrown) {
    throw fileError(thrown, path);
  }
  if (!certificates.includes('-----BEGIN CERTIFICATE-----'))
    throw new LocalError(`${path} has no certificate in it.`, 'Give a PEM file.');
  const { getCACertificates, setDefaultCACertificates } = await import('node:tls');
  setDefaultCACertificates([...getCACertificates('default'), certificates]);
}
