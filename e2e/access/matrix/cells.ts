import { type Action, decide } from '../../../server/src/frames/access/access.ts';
import type { Identity } from '../../../server/src/model/caller.ts';
import type { ErrorKind } from '../../../server/src/model/errors.ts';
import { type Scope, withIncluded } from '../../../server/src/model/scope.ts';
import { noTenant } from '../../../server/src/model/tenant.ts';

/** Whose frames are asked for, with whom they are shared, and who has nothing to do with them. */
export const tenants = { owner: 'owner', reader: 'reader', outsider: 'outsider' } as const;

/** With what somebody comes, and who they are then. null: nobody whom the server knows. */
export const holders = {
  none: null,
  wrong: null,
  expired: null,
  revoked: null,
  read: known(tenants.owner, 'read'),
  write: known(tenants.owner, 'write'),
  admin: known(tenants.owner, 'admin'),
  tsdb: known(tenants.owner, 'read', 'tsdb'),
  metrics: known(tenants.owner, 'metrics'),
  operator: known(noTenant, 'operator'),
  other: known(tenants.outsider, 'write'),
  'other-admin': known(tenants.outsider, 'admin'),
  shared: known(tenants.reader, 'write'),
  link: known(tenants.owner),
  'link-in-url': known(tenants.owner),
  'other-link': known(tenants.owner),
} as const satisfies Record<string, Identity | null>;
export type Holder = keyof typeof holders;

function known(tenant: string, ...scopes: readonly Scope[]): Identity {
  return { tenant, name: '', scopes: withIncluded(scopes), link: null, isCurrent: () => true };
}

/** One step of what is asked: an action of the access table, about the frame or about nothing in particular. */
export type Need = readonly [action: Action, about?: 'frame'];

/** Something that can be asked, in the words of one way. */
export interface Ask<How> {
  readonly title: string;
  /** In the order in which they are looked at; the first refusal counts. `open`: every caller is answered. */
  readonly needs: readonly Need[] | 'open';
  readonly how: How;
  /** What naming another tenant's frame gives if only names of one's own are accepted. */
  readonly foreign?: ErrorKind;
  /** The answer to a caller with access, if it is not simply done. */
  readonly answer?: ErrorKind;
  /** How the frame is afterwards, if it is done (`stateText`). Such an ask has a frame of its own in every cell. */
  readonly leaves?: string;
  /** The frame is not there before. */
  readonly makes?: true;
  /** The frame was put and dropped before. */
  readonly dropped?: true;
}

/** How a frame is after it was put once. */
export const untouched = '1 version, 1 rows';
/** How a frame is that was made of columns alone. */
export const withoutRows = '1 version, 0 rows';

export interface Cell<How> {
  readonly id: string;
  readonly ask: Ask<How>;
  readonly holder: Holder;
  /** The frame's own name. */
  readonly name: string;
  /** As this holder of a credential has to write it. */
  readonly handle: string;
  readonly expected: 'ok' | ErrorKind;
}

/** The frame that asks are about which change nothing. */
export const commonFrame = 'common';

/** Every ask by every holder of a credential. What is expected follows from the access table alone. */
export function cellsOf<How>(
  way: string,
  asks: readonly Ask<How>[],
  through: readonly Holder[],
): readonly Cell<How>[] {
  return asks.flatMap((ask, index) =>
    through.map((holder): Cell<How> => {
      const name = ask.leaves === undefined ? commonFrame : `${way}_${index}_${holder.replaceAll('-', '_')}`;
      const expected = expectedOf(ask, holder, name);
      return {
        id: `${ask.title} × ${holder}`,
        ask,
        holder,
        name,
        handle: handleOf(ask, holder, name),
        expected,
      };
    }),
  );
}

/** Of another tenant. An operator is of none: it asks for the frame by its plain name. */
export function isForeign(holder: Holder): boolean {
  const tenant = holders[holder]?.tenant ?? tenants.owner;
  return tenant !== tenants.owner && tenant !== noTenant;
}

export function isLink(holder: Holder): boolean {
  return holder.includes('link');
}

/** The version that the link of this holder opens. */
export function linkedVersion(holder: Holder): number {
  return holder === 'other-link' ? 2 : 1;
}

function handleOf<How>(ask: Ask<How>, holder: Holder, name: string): string {
  if (isForeign(holder)) return `${tenants.owner}:${name}`;
  return isLink(holder) && ask.foreign === undefined && ask.makes !== true ? `${name}@1` : name;
}

function expectedOf<How>(ask: Ask<How>, holder: Holder, name: string): 'ok' | ErrorKind {
  const { needs, foreign, answer = 'ok' } = ask;
  if (needs === 'open') return answer;
  const identity: Identity | null = holders[holder];
  if (identity === null) return 'unauthenticated';
  const link = isLink(holder) ? { name, version: linkedVersion(holder) } : null;
  const version = isLink(holder) && foreign === undefined ? 1 : null;
  const target = { tenant: tenants.owner, name, version, isShared: holder === 'shared' };
  for (const [action, about] of needs) {
    if (about === 'frame' && isForeign(holder) && foreign !== undefined) return foreign;
    const decision = decide({ ...identity, link }, action, about === 'frame' ? target : null);
    if (!decision.allowed) return decision.kind;
  }
  return answer;
}
