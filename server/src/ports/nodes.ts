/** A node as others can reach it. */
export interface NodeAddress {
  /** Unique among the live nodes, and stable while the node runs. */
  readonly id: string;
  /** Where Flight clients reach exactly this node, such as `grpc://node-1:50052`; null if it is not given to clients. */
  readonly advertisedUrl: string | null;
}

/** The nodes that share one catalog. Asked for every request on a frame: answers come from memory and never wait. */
export interface Nodes {
  readonly self: NodeAddress;
  /**
   * Those that were alive a short while ago, always with this one, in any order. Only a hint: any node answers any request, so a
   * list that is late or incomplete costs a cold read and nothing else.
   */
  live(): readonly NodeAddress[];
}
