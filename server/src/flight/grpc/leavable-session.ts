import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';

/** The highest number that a call can have: none that the client has sent already is left out. */
const everyStream = 2 ** 31 - 1;

/**
 * A connection that can ask its client to open another one, without failing a call. GOAWAY with the highest number says: begin no more calls here. The ones that
 * were sent before the client reads it are served, and the connection is closed after the last of them. nghttp2 neither reads nor writes a session
 * without calls after GOAWAY: it must have one.
 */
export class LeavableSession {
  readonly #session: ServerHttp2Session;
  #calls = 0;
  #isLeaving = false;

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
    if (this.#isLeaving || this.#session.closed || this.#session.destroyed) return;
    this.#isLeaving = true;
    this.#session.goaway(constants.NGHTTP2_NO_ERROR, everyStream);
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
      if (this.#isLeaving && this.#calls === 0) this.#session.close();
    });
  }
}
