import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';

/**
 * A connection that can ask its client to open another one, without failing a call. GOAWAY with the number of the last call that has come says: what you have sent
 * after it was not looked at, send it again elsewhere; and gRPC's clients do so by themselves. A higher number would promise to serve what is on its way, and nghttp2
 * drops each call that comes after its GOAWAY without a word: its caller would wait for ever. The connection is closed after the last call. nghttp2 neither
 * reads nor writes a session without calls after GOAWAY: it must have one.
 */
export class LeavableSession {
  readonly #session: ServerHttp2Session;
  #calls = 0;
  /** The last call that is served; null until it leaves. */
  #last: number | null = null;

  constructor(session: ServerHttp2Session) {
    this.#session = session;
    session.on('stream', (stream) => this.#count(stream));
  }

  /** Whether it has calls. */
  get isUsed(): boolean {
    return this.#calls > 0;
  }

  /** Asks the client to open another connection; must have calls. */
  leave(): void {
    if (this.#last !== null || this.#session.closed || this.#session.destroyed) return;
    this.#last = this.#session.state.lastProcStreamID ?? 0;
    this.#session.goaway(constants.NGHTTP2_NO_ERROR, this.#last);
  }

  /**
   * Whether this call came after the last one that is served. It is refused then, as GOAWAY says, which may still wait behind data that the client is slow to
   * read: the client repeats the call, so it must not be done here as well.
   */
  refuses(stream: ServerHttp2Stream): boolean {
    if (this.#last === null || (stream.id ?? 0) <= this.#last) return false;
    stream.close(constants.NGHTTP2_REFUSED_STREAM);
    return true;
  }

  /** Closes it, after its last call if it has some. */
  end(): void {
    if (this.isUsed) this.leave();
    else this.#session.close();
  }

  #count(stream: ServerHttp2Stream): void {
    this.#calls += 1;
    stream.once('close', () => {
      this.#calls -= 1;
      if (this.#last !== null && this.#calls === 0) this.#session.close();
    });
  }
}
