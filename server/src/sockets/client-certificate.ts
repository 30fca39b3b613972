import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Every name in a verified client certificate, with its kind: `CN:ada`, `URI:spiffe://…`, `DNS:…`, `email:…`. */
export interface ClientCertificate {
  readonly names: readonly string[];
  /** In milliseconds. It was looked at when the connection began: an open or resumed one outlives it. */
  readonly validUntil: number;
}

/** A connection keeps its certificate; reading it out for each request would cost more than the request. */
const known = new WeakMap<Socket, ClientCertificate | null>();

/** null if there is none, none that our authority has signed, or one whose time is over. */
export function clientCertificateOf(socket: Socket): ClientCertificate | null {
  let certificate = known.get(socket);
  if (certificate === undefined) {
    certificate = certificateOf(socket);
    known.set(socket, certificate);
  }
  return certificate === null || Date.now() > certificate.validUntil ? null : certificate;
}

function certificateOf(socket: Socket): ClientCertificate | null {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return null;
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? null : readCertificate(certificate);
}

export function readCertificate({ subject, subjectAltName, validTo }: X509Certificate): ClientCertificate {
  const names = [...alternativeNames(subjectAltName ?? ''), ...commonNames(subject)];
  return { names, validUntil: Date.parse(validTo) };
}

const kindsTaken: ReadonlySet<string | undefined> = new Set(['URI', 'DNS', 'email']);

/**
 * `URI:spiffe://a/b, DNS:"with, comma"`: Node quotes what could be mistaken for a separator. Read from the start, every kind of name: the text of
 * one that is not taken may look like one that is. If it cannot be read to its end, none of it counts.
 */
function alternativeNames(text: string): string[] {
  const names: string[] = [];
  const entry = /([^:,"]+):(?:("(?:[^"\\]|\\.)*")|([^,"]*))(?:, |$)/y;
  while (entry.lastIndex < text.length) {
    const found = entry.exec(text);
    if (found === null) return [];
    const [, kind, quoted, plain] = found;
    const value = quoted === undefined ? plain : unquote(quoted);
    if (value === undefined) return [];
    if (value !== '' && kindsTaken.has(kind)) names.push(`${kind}:${value}`);
  }
  return names;
}

function unquote(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

/** One line for each part of the name. */
function commonNames(subject: string | undefined): string[] {
  const lines = (subject ?? '').split('\n').filter((line) => line.startsWith('CN='));
  return lines.map((line) => `CN:${line.slice('CN='.length)}`);
}
