import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';
import { FrameholdError } from './errors.ts';
import { isTenant, tenantRule } from './tenant.ts';

/**
 * An address of a frame: `name` (its newest version), `name@version` or `name@tag`, after `tenant:` if it belongs to another tenant; or of the rows that were appended
 * after a version: `name@12..`, `name@12..20`. It grants no access.
 */
export interface Handle {
  /** Its owner, if one was named. */
  readonly tenant?: string;
  readonly name: string;
  /** null: the newest, or the one that the tag names. */
  readonly version: number | null;
  /** Of the version that is wanted, if none is given by its number. */
  readonly tag?: string;
  /** Only the rows after this version; 0: all. */
  readonly after?: number;
  /** Of the version, where a caller comes back to what it has read. */
  readonly versionId?: string;
}

/** `12..` and `12..20`. */
const spanPattern = /^(0|[1-9][0-9]{0,14})\.\.([1-9][0-9]{0,14})?$/;
const namePattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
/** Versions are stored and served as JavaScript numbers: 15 digits stay exact. */
const versionPattern = /^[1-9][0-9]{0,14}$/;
const tagPattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const nameRule = 'A name is 1 to 128 of A-Z a-z 0-9 _ . - and begins with a letter, a digit or _.';

export function parseName(text: string): string {
  if (!namePattern.test(text))
    throw new FrameholdError('bad_handle', `${quote(text)} is not a valid name.`, { hint: nameRule });
  return text;
}

/** What SQL calls its own catalogs and functions: a frame of such a name would be ambiguous. */
const reservedNames = new Set(['analytics', 'main', 'tsdb']);

/** For a put. Frames that had such a name before it was reserved stay readable. */
export function parseNewName(text: string): string {
  const name = parseName(text);
  if (!reservedNames.has(name.toLowerCase())) return name;
  throw new FrameholdError(
    'bad_handle',
    `The name ${quote(name)} is reserved: SQL has its own meaning for it.`,
    {
      hint: `Choose another name than ${[...reservedNames].join(', ')}.`,
    },
  );
}

/** Of a name or a version by its number: of what can be changed. */
export function parseHandle(text: string): Handle {
  const handle = parseVersionHandle(text);
  if (handle.tag === undefined) return handle;
  throw new FrameholdError('bad_handle', `${quote(text)} names a version by a tag, which may be moved.`, {
    hint: 'Use the name here, or the number of the version: name@3.',
  });
}

/** Of a whole version that can be read: also by a tag. */
export function parseVersionHandle(text: string): Handle {
  const handle = parseRowsHandle(text);
  if (handle.after === undefined) return handle;
  throw new FrameholdError('bad_handle', `${quote(text)} names rows of a frame, not a version of it.`, {
    hint: 'Rows since a version can be read: as rows, with SQL, or over Flight. Use name or name@3 here.',
  });
}

/** The name of a version: a letter first, so that it is no number. No dot, so that a file of it can have an ending. */
export function parseTag(text: string): string {
  if (tagPattern.test(text)) return text;
  throw new FrameholdError('bad_handle', `${quote(text)} is not a valid tag.`, {
    hint: 'A tag is 1 to 64 of A-Z a-z 0-9 _ - and begins with a letter.',
  });
}

/** Of what can be read: also by a tag, and of rows since a version. */
export function parseRowsHandle(text: string): Handle {
  const colon = text.indexOf(':');
  if (colon === -1) return parseOwnHandle(text);
  const tenant = text.slice(0, colon);
  if (!isTenant(tenant))
    throw new FrameholdError('bad_handle', `${quote(text)} is not a valid handle.`, {
      hint: `Before a colon there is the tenant whose frame it is. ${tenantRule}`,
    });
  return { tenant, ...parseOwnHandle(text.slice(colon + 1)) };
}

function parseOwnHandle(text: string): Handle {
  const at = text.indexOf('@');
  if (at === -1) return { name: parseName(text), version: null };
  const name = parseName(text.slice(0, at));
  const version = text.slice(at + 1);
  if (version.includes('..')) return { name, ...parseSpan(text, version) };
  if (versionPattern.test(version)) return { name, version: Number(version) };
  if (tagPattern.test(version)) return { name, version: null, tag: version };
  throw new FrameholdError(
    'bad_handle',
    `${quote(text)} is not a valid handle: a version is a whole number from 1, or a tag.`,
    {
      hint: 'Use name for the newest version, name@3 for version 3, name@gold for the one with the tag gold, or name@3.. for the rows since version 3.',
    },
  );
}

function parseSpan(text: string, span: string): { readonly version: number | null; readonly after: number } {
  const [, from, to] = spanPattern.exec(span) ?? [];
  const after = Number(from);
  const version = to === undefined ? null : Number(to);
  if (from !== undefined && (version === null || after <= version)) return { version, after };
  throw new FrameholdError('bad_handle', `${quote(text)} is not a valid handle: it names no rows.`, {
    hint: 'Use name@12.. for the rows after version 12, name@12..20 for those after version 12 up to version 20, or name@0.. for all.',
  });
}

export function formatHandle(name: string, version: number, after?: number): string {
  return after === undefined ? `${name}@${version}` : `${name}@${after}..${version}`;
}

/** Digits first, as in ASCII: texts sort as the numbers do. */
const base32 = '234567abcdefghijklmnopqrstuvwxyz';

/** 128 random bits as 26 lower-case base32 characters. */
export function randomId(): string {
  return base32Text(BigInt(`0x${randomBytes(16).toString('hex')}`));
}

let idClock: Clock = () => Date.now();

/** The catalog judges the age of ids: those of a node with a wrong clock must have the right time. A process has one catalog. */
export function useIdClock(clock: Clock): void {
  idClock = clock;
}

/** An id that sorts by the time it was made: 48 bits of milliseconds, then 80 random ones. Neighbours in time are neighbours in an index. */
export function orderedId(): string {
  return base32Text((BigInt(idClock()) << 80n) | BigInt(`0x${randomBytes(10).toString('hex')}`));
}

/** When an id of `orderedId` was made; null for another text. */
export function idTime(id: string): number | null {
  if (!/^[a-z2-7]{26}$/.test(id)) return null;
  let bits = 0n;
  for (const digit of id) bits = (bits << 5n) | BigInt(base32.indexOf(digit));
  return Number(bits >> 80n);
}

function base32Text(bits: bigint): string {
  let value = bits;
  let text = '';
  for (let digit = 0; digit < 26; digit++) {
    text = base32[Number(value & 31n)] + text;
    value >>= 5n;
  }
  return text;
}

export function mintName(): string {
  return `f_${randomId()}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 140 ? `${text.slice(0, 140)}…` : text);
}
