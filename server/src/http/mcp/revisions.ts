import { FrameholdError } from '../../model/errors.ts';

/** Revisions of the Model Context Protocol that this server speaks, newest first. Earlier ones have another transport. */
const revisions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

type Revision = (typeof revisions)[number];

/** The only one that has batches. Also what a request without the header is, as the protocol says. */
const revisionWithBatches: Revision = '2025-03-26';

/** The client's revision if it is spoken here, else the newest: the client decides whether it can go on. */
export function negotiatedRevision(wanted: unknown): Revision {
  return revisions.find((each) => each === wanted) ?? revisions[0];
}

/** What the header MCP-Protocol-Version says about a request. bad_request for a revision that is not spoken here. */
export function allowsBatches(header: string | string[] | undefined): boolean {
  if (header === undefined) return true;
  const known = revisions.find((each) => each === header);
  if (known === undefined)
    throw new FrameholdError(
      'bad_request',
      `The header MCP-Protocol-Version is ${JSON.stringify(String(header).slice(0, 40))}, which is not spoken here.`,
      { hint: `Use one of ${revisions.join(', ')}.` },
    );
  return known === revisionWithBatches;
}
