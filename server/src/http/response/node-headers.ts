import { nodesByWarmth } from '../../frames/locality/rendezvous.ts';
import type { VersionSummary } from '../../model/version.ts';
import type { Nodes } from '../../ports/nodes.ts';

/** For proxies before several nodes: who has answered, and who most likely has the frame in its cache. Nothing for a server alone. */
export function nodeHeaders(
  nodes: Nodes | null,
  { frameId }: Pick<VersionSummary, 'frameId'>,
): Readonly<Record<string, string>> {
  if (nodes === null) return {};
  const [warmest = nodes.self] = nodesByWarmth(frameId, nodes.live());
  return { 'framehold-node': headerText(nodes.self.id), 'framehold-warm-node': headerText(warmest.id) };
}

/** An id is any text; a header is not. */
function headerText(id: string): string {
  return encodeURIComponent(id);
}
