import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Every name that a verified client certificate stands for, with its kind: `CN:ada`, `URI:spiffe://…`, `DNS:…`, `email:…`. */
interface ClientCertificate {
  readonly names: readonly string[];
}

/** A connection keeps its certificate; reading it out for each request would cost more than the request. */
const known = new WeakMap<Socket, ClientCertificate | null>();

/** null where there is none, or none that our authority has signed. */
export function clientCertificateOf(socket: Socket): ClientCertificate | null {
  const before = known.get(socket);
  if (before !== undefined) return before;
  const certificate = readCertificate(socket);
  known.set(socket, certificate);
  return certificate;
}

function readCertificate(socket: Socket): ClientCertificate | null {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return null;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return null;
  const names = [...alternativeNames(certificate.subjectAltName ?? ''), ...commonNames(certificate.subject)];
  return { names };
}

/** `URI:spiffe://a/b, DNS:"with, comma"`: Node quotes what could be mistaken for a separator. */
function alternativeNames(text: string): string[] {
  const names: string[] = [];
  for (const [, kind, quoted, plain] of text.matchAll(
    /(URI|DNS|email):(?:("(?:[^"\\]|\\.)*")|([^,]*))(?:, |$)/g,
  )) {
    const value = quoted === undefined ? plain : unquote(quoted);
    if (value !== undefined && value !== '') names.push(`${kind}:${value}`);
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
