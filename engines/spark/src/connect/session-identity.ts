import type { UserContext } from './gen/spark/connect/base_pb.js';

/** What all requests of a session have. */
export interface SessionIdentity {
  readonly sessionId: string;
  readonly userContext: UserContext;
  readonly clientType: string;
  /** What Spark called the session, after its first answer. */
  readonly clientObservedServerSideSessionId?: string;
}
