import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether what is sent there stays on this machine. Names are not resolved: what they mean may change, but these two never leave the machine (RFC 6761). */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const version = isIP(host);
  if (version !== 0) return loopback.check(host, version === 6 ? 'ipv6' : 'ipv4');
  return host === 'localhost' || host.endsWith('.localhost');
}
