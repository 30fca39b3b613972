import { nearestName } from '../base/nearest-name.ts';

/** The shortest piece of a name that is compared. */
const pieceMin = 3;

/** Names that other servers use for the address of their HTTP listener. */
const addressNames: readonly string[] = [
  'http-port',
  'http-host',
  'http-address',
  'http-listen',
  'port',
  'host',
  'bind',
  'listen',
];

/** The flag that was probably meant: another server's name for it, the setting's key, a typing error, or only the end or the beginning of its name. */
export function suggestFlag(written: string, known: readonly string[]): string | undefined {
  const name = written.toLowerCase().replaceAll('.', '-').replaceAll('_', '-');
  if (addressNames.includes(name)) return 'http-bind-address';
  const near = known.includes(name) ? name : nearestName(name, known);
  if (near !== undefined || name.length < pieceMin) return near;
  const shortestFirst = known.toSorted((one, other) => one.length - other.length);
  return (
    shortestFirst.find((flag) => flag.endsWith(`-${name}`)) ??
    shortestFirst.find((flag) => flag.startsWith(name))
  );
}
