import type { Identity } from '../../model/caller.ts';
import type { Scope } from '../../model/scope.ts';

/** What an action needs. */
interface Rule {
  /** null: any valid credential is enough. */
  readonly scope: Scope | null;
  /** Whether an operator may do it too. The method decides what an operator sees of tenants. */
  readonly operator?: true;
  /** Whether a tenant with whom the frame is shared may do it. */
  readonly shared?: true;
  /** Whether a signed link to the version is enough. */
  readonly link?: true;
}

/** Everything that can be done, and what it needs. Each route, Flight verb, action and kind of statement is one of these. */
export const actions = {
  'frame.read': { scope: 'read', shared: true, link: true },
  'frame.describe': { scope: 'read', shared: true, link: true },
  'frame.statistics': { scope: 'read', shared: true, link: true },
  'frame.diff': { scope: 'read', shared: true },
  'frame.list': { scope: 'read' },
  'frame.versions': { scope: 'read' },
  'frame.shares': { scope: 'read' },
  'frame.shared-with-me': { scope: 'read' },
  'frame.links': { scope: 'read' },
  'frame.tags': { scope: 'read', shared: true },
  'frame.notes': { scope: 'read', shared: true },
  'frame.put': { scope: 'write' },
  'frame.append': { scope: 'write' },
  'frame.inspect': { scope: 'write' },
  'frame.drop': { scope: 'write' },
  'frame.undrop': { scope: 'write' },
  'frame.restore': { scope: 'write' },
  'frame.expire': { scope: 'write' },
  'frame.keep': { scope: 'write' },
  'frame.share': { scope: 'write' },
  'frame.unshare': { scope: 'write' },
  'frame.link': { scope: 'write' },
  'frame.unlink': { scope: 'write' },
  'frame.tag': { scope: 'write' },
  'frame.untag': { scope: 'write' },
  'frame.note': { scope: 'write' },
  'sql.query': { scope: 'read' },
  'sql.explain': { scope: 'read' },
  'function.list': { scope: 'read' },
  'sql.create': { scope: 'write' },
  'sql.insert': { scope: 'write' },
  'sql.drop': { scope: 'write' },
  'sql.comment': { scope: 'write' },
  'query.list': { scope: 'read', operator: true },
  'query.cancel': { scope: 'read', operator: true },
  'events.read': { scope: 'read' },
  'saved.list': { scope: 'read' },
  'saved.save': { scope: 'write' },
  'saved.remove': { scope: 'write' },
  'history.list': { scope: 'read' },
  'history.clear': { scope: 'read' },
  'tsdb.query': { scope: 'tsdb' },
  'metrics.read': { scope: 'metrics' },
  'tenant.usage': { scope: 'read' },
  'tenant.list': { scope: 'operator' },
  'tenant.show': { scope: 'operator' },
  'tenant.set': { scope: 'operator' },
  'server.describe': { scope: null },
  'server.status': { scope: null },
} as const satisfies Record<string, Rule>;

export type Action = keyof typeof actions;

/** A frame as far as access goes. */
export interface Target {
  /** Its owner. */
  readonly tenant: string;
  readonly name: string;
  /** null: the newest, all of them, or rows of several. */
  readonly version: number | null;
  /** Whether its owner shares it with the caller's tenant. */
  readonly isShared: boolean;
}

export type Decision =
  | { readonly allowed: true }
  /** The missing scope; null if no scope would help. */
  | { readonly allowed: false; readonly kind: 'access_denied'; readonly missing: Scope | null }
  /** The caller may not even learn that it exists. */
  | { readonly allowed: false; readonly kind: 'frame_not_found' };

const allowed: Decision = { allowed: true };
const denied: Decision = { allowed: false, kind: 'access_denied', missing: null };
const unseen: Decision = { allowed: false, kind: 'frame_not_found' };

/** The one place that decides. `target` is null for what is not about one frame. */
export function decide(caller: Identity, action: Action, target: Target | null): Decision {
  const rule: Rule = actions[action];
  if (caller.link !== null) {
    const isTheOne =
      target !== null &&
      target.tenant === caller.tenant &&
      target.name === caller.link.name &&
      target.version === caller.link.version;
    return rule.link === true && isTheOne ? allowed : denied;
  }
  const isOperator = rule.operator === true && caller.scopes.has('operator');
  if (rule.scope !== null && !caller.scopes.has(rule.scope) && !isOperator)
    return { allowed: false, kind: 'access_denied', missing: rule.scope };
  if (target === null || target.tenant === caller.tenant) return allowed;
  if (!target.isShared) return unseen;
  return rule.shared === true ? allowed : denied;
}
