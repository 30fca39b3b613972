import { connect } from 'node:tls';
import { FrameholdError } from '../../../client/src/index.ts';

export interface Explanation {
  readonly detail: string;
  readonly hint: string;
}

const elsewhere = 'or name another server with --url, FRAMEHOLD_URL or framehold login.';
/** For a look at what answers there, after a request has failed. */
const probeMs = 2_000;

/** Why there was no answer, and what to do. */
export async function explainNetwork(error: FrameholdError, base: string): Promise<Explanation> {
  const { origin, protocol, hostname, port } = new URL(base);
  const codes = codesOf(error);
  const has = (...names: readonly string[]) => names.some((name) => codes.includes(name));
  if (has('ECONNREFUSED'))
    return {
      detail: `Nothing listens at ${origin}.`,
      hint: `Start a server with framehold server (port 9000 unless you choose another), ${elsewhere}`,
    };
  if (has('ENOTFOUND', 'EAI_AGAIN'))
    return { detail: `The host ${hostname} is not known.`, hint: `Check its spelling, ${elsewhere}` };
  if (has('EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'))
    return {
      detail: `${origin} does not answer: the connection timed out or the host cannot be reached.`,
      hint: `Check the network and the firewall, ${elsewhere}`,
    };
  const certificate = certificateProblem(codes, hostname);
  if (certificate !== undefined) return certificate;
  if (protocol === 'https:') {
    if (has('ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'EPROTO'))
      return {
        detail: `${origin} does not speak TLS.`,
        hint: `Use http://${hostname}:${port || 443} instead of https.`,
      };
  } else if (has('ECONNRESET', 'HPE_INVALID_CONSTANT', 'HPE_INVALID_VERSION')) {
    const spoken = await probeTls(hostname, Number(port || 80));
    if (spoken)
      return {
        detail: `${origin} speaks TLS.`,
        hint: `Use https://${hostname}:${port || 80} instead of http.`,
      };
    if (has('HPE_INVALID_CONSTANT', 'HPE_INVALID_VERSION', 'ECONNRESET'))
      return {
        detail: `What answers at ${origin} does not speak HTTP.`,
        hint: 'Use the port of HTTP (default 9000), not that of Arrow Flight (default 50052).',
      };
  }
  return {
    detail: `${error.detail}${codes.length === 0 ? '' : ` (${codes[0]})`}`,
    hint: 'Check that the server runs and can be reached: framehold doctor looks at each step.',
  };
}

function certificateProblem(codes: readonly string[], hostname: string): Explanation | undefined {
  const has = (...names: readonly string[]) => names.some((name) => codes.includes(name));
  if (has('CERT_HAS_EXPIRED'))
    return {
      detail: `The certificate of ${hostname} has expired.`,
      hint: 'Ask the operator of the server to renew it.',
    };
  if (has('ERR_TLS_CERT_ALTNAME_INVALID'))
    return {
      detail: `The certificate of the server is not for ${hostname}.`,
      hint: 'Use the host name that is in the certificate.',
    };
  if (
    has(
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    )
  )
    return {
      detail: `The certificate of ${hostname} is not signed by an authority that this machine trusts.`,
      hint: 'If you trust it, give its authority with --ca FILE; framehold login --ca FILE remembers it.',
    };
  return undefined;
}

/** The codes of an error and of all its causes. A failed attempt for several addresses has several. */
export function codesOf(thrown: unknown): string[] {
  const codes: string[] = [];
  const pending: unknown[] = [thrown];
  // Causes may point at each other.
  for (let seen = 0; seen < 20 && pending.length > 0; seen++) {
    const error = pending.shift();
    if (!(error instanceof Error)) continue;
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code === 'string' && !(error instanceof FrameholdError)) codes.push(code);
    if (error instanceof AggregateError) pending.push(...error.errors);
    pending.push(error.cause);
  }
  return codes;
}

/** An IPv6 address of a URL, as sockets take it. */
export function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Whether a port answers the beginning of TLS. Nothing is sent over it, so nothing is verified. */
function probeTls(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({
      host: withoutBrackets(host),
      port,
      rejectUnauthorized: false,
      timeout: probeMs,
    });
    const end = (speaks: boolean) => {
      socket.destroy();
      resolve(speaks);
    };
    socket.once('secureConnect', () => end(true));
    socket.once('timeout', () => end(false));
    // A listener that wants a certificate of the client speaks TLS, too.
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end(/ALERT|CERTIFICATE_REQUIRED/.test(error.code ?? '')),
    );
  });
}
