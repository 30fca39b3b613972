import assert from 'node:assert/strict';
import { type Action, decide } from '../../../server/src/frames/access/access.ts';
import type { Identity } from '../../../server/src/model/caller.ts';
import { noTenant } from '../../../server/src/model/tenant.ts';
import { type AuditLine, auditLines } from '../../../server/test/support/audit-lines.ts';
import { type Cell, holders, isForeign, isLink, linkedVersion, tenants } from './cells.ts';
import { extraTenant, keeper, type Stage } from './stage.ts';

type Told = Omit<AuditLine, 'detail' | 'requestId' | 'statement'>;

/** Each cell that was refused or has changed something has left exactly one line, and no other cell has left any. `from`: lines before it. */
export async function verifyTrail(
  stage: Stage,
  from: number,
  cells: readonly Cell<unknown>[],
): Promise<number> {
  const expected = cells.flatMap((cell) => lineOf(cell) ?? []);
  const toldLines = () =>
    auditLines(stage.framehold.lines.slice(from)).filter(({ caller }) => caller !== keeper);
  await stage.allIsLogged();
  const lines = toldLines();
  for (const { requestId } of lines) assert.match(requestId ?? '', /^\S+$/);
  const told = lines.map(comparable);
  const wanted = expected.map(comparable);
  assert.deepEqual(
    { missing: without(wanted, told), unexpected: without(told, wanted) },
    { missing: [], unexpected: [] },
  );
  return lines.length;
}

/** What the audit log has to say of a cell, by the table of access alone. */
function lineOf(cell: Cell<unknown>): Told | null {
  const { ask, holder, handle, expected } = cell;
  if (ask.needs === 'open') return null;
  const identity: Identity | null = holders[holder];
  const from = { reason: null, remote: '127.0.0.1' };
  if (identity === null)
    return {
      ...from,
      action: 'enter',
      outcome: 'refused',
      reason: expected,
      tenant: null,
      caller: null,
      frame: null,
    };
  const tenant = identity.tenant === noTenant ? null : identity.tenant;
  const who = { ...from, tenant, caller: isLink(holder) ? 'link' : holder };
  if (expected === 'ok') {
    const change = changeOf(cell);
    return change === null ? null : { ...who, ...change, outcome: 'done' };
  }
  const refused = refusalOf(cell, identity);
  if (refused === null) return null;
  const [action, isAboutFrame] = refused;
  return { ...who, action, outcome: 'refused', reason: expected, frame: isAboutFrame ? handle : null };
}

/** The action that is refused, and whether its frame is known by then. */
function refusalOf(
  { ask, holder, name }: Cell<unknown>,
  identity: Identity,
): readonly [Action, boolean] | null {
  if (ask.needs === 'open') return null;
  const link = isLink(holder) ? { name, version: linkedVersion(holder) } : null;
  const version = isLink(holder) && ask.foreign === undefined ? 1 : null;
  const target = { tenant: tenants.owner, name, version, isShared: holder === 'shared' };
  const caller = { ...identity, link };
  for (const [action, about] of ask.needs) {
    // Before a statement is taken apart.
    if (action.startsWith('sql.') && !decide(caller, 'sql.query', null).allowed) return ['sql.query', false];
    if (about === 'frame' && isForeign(holder) && ask.foreign !== undefined) return null;
    const isChange = ['sql.create', 'sql.insert', 'sql.comment', 'sql.drop'].includes(action);
    if (!decide(caller, action, about === 'frame' ? target : null).allowed)
      return [action, about === 'frame' || isChange];
  }
  return null;
}

function changeOf({
  ask,
  name,
}: Cell<unknown>): (Pick<Told, 'action' | 'frame'> & Partial<Pick<Told, 'tenant'>>) | null {
  if (ask.needs === 'open') return null;
  const [action = 'server.describe', about] = ask.needs.at(-1) ?? [];
  switch (action) {
    case 'frame.put':
    case 'frame.append':
    case 'frame.restore':
      return { action, frame: about === undefined ? 'f_…@1' : `${name}@${ask.makes === true ? 1 : 2}` };
    case 'frame.drop':
    case 'frame.undrop':
    case 'frame.expire':
    case 'frame.keep':
    case 'frame.note':
      return { action, frame: name };
    case 'frame.share':
    case 'frame.unshare':
      return { action, frame: `${name} with ${extraTenant}` };
    case 'saved.save':
    case 'history.clear':
      return { action, frame: null };
    case 'tenant.set':
      return { action, frame: null, tenant: extraTenant };
    case 'frame.tag':
      return { action, frame: `${name}@1` };
    case 'frame.link':
      return { action, frame: `${name}@1 until …` };
    case 'tsdb.query':
      // In SQL tsdb() takes one SELECT, which changes nothing.
      return ask.needs.length === 1 ? { action, frame: null } : null;
    default:
      return null;
  }
}

/** What is left of the first list when each line of the second has taken one like it away. */
function without(lines: readonly string[], taken: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of taken) counts.set(line, (counts.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = counts.get(line) ?? 0;
    counts.set(line, count - 1);
    return count <= 0;
  });
}

function comparable({ action, outcome, reason, tenant, caller, frame, remote }: Told): string {
  const shown = frame?.replace(/^f_[a-z2-7]{26}/, 'f_…').replace(/ until .*/, ' until …') ?? null;
  // Flight knows the port, too.
  const host = remote?.replace(/:\d+$/, '');
  return JSON.stringify({ action, outcome, reason, tenant, caller, frame: shown, remote: host });
}
