import type { Caller } from '../model/caller.ts';

/** What a verb knows of the call it serves. Nothing here names a transport, so that the transport can be changed underneath. */
export interface Call {
  readonly requestId: string;
  readonly caller: Caller;
  /** Aborts when the client cancels or goes away, when its deadline has passed, or when the server must stop; never after the verb has returned. */
  readonly signal: AbortSignal;
  /** A request header by its lower-case name. */
  header(name: string): string | undefined;
  /** Goes out at once, before the first message: JDBC looks for it nowhere else. Once in a call; the name is lower-case. */
  answerHeader(name: string, value: string): void;
  /**
   * Resolves when it is certain that the client meant the end of its stream. Some clients (Node's HTTP/2) say "end" and then
   * "cancel" when they give a call up; a verb that is about to commit something asks here first.
   */
  confirmEnd(): Promise<void>;
}

/** The bytes of one message as they arrived, in order. Kept in pieces: joining them would copy every body once. */
export type Chunks = readonly Uint8Array[];

/** Messages from the client, pulled one at a time: the client is held back while nobody asks. Ends where the client has finished, never because it went away. */
export type Incoming<Message> = AsyncIterable<Message>;

/** Messages to the client. */
export interface Outgoing<Message> {
  /** Resolves when the transport has let go of the message's bytes; a sender waits for it before sending much more. */
  send(message: Message): Promise<void>;
  /** The same, for a message that must not arrive in one piece: readers in C++ join the pieces, in memory that is aligned. */
  sendCut(message: Message, at: number): CutMessage;
  /** The same, for one whose body is in other memory than what comes before it. */
  sendPieces(head: Message, body: Uint8Array): Promise<void>;
}

export interface CutMessage {
  /** Resolves when the next message may be sent. Sooner than `sent` for small ones: the end of one goes with the beginning of the next. */
  readonly begun: Promise<void>;
  /** As of `send`. */
  readonly sent: Promise<void>;
}
