import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Unfinished answers on one connection; clients that pipeline requests have a few. */
const MAX_ANSWERS = 20;

/**
 * The unfinished answers of each connection: clients may pipeline requests. Too many disconnect it. Also the connections
 * without a request.
 */
export class OpenAnswers {
  readonly #answers = new WeakMap<Duplex, Set<ServerResponse>>();
  /** Callbacks for when a connection has no unfinished answer. */
  readonly #afterAnswers = new WeakMap<Duplex, () => void>();

  /** Connections without a request yet, such as a browser's preconnections: Node does not count them as idle. */
  readonly unused = new Set<Duplex>();

  constructor(http: Server) {
    const known = new WeakSet<Duplex>();
    http.on('connection', (socket) => {
      // A connection can be emitted twice: see other-upgrades.ts.
      if (known.has(socket)) return;
      known.add(socket);
      this.unused.add(socket);
      socket.once('close', () => this.unused.delete(socket));
    });
    http.on('request', ({ socket }, response) => {
      this.unused.delete(socket);
      const open = this.#answersOf(socket).add(response);
      response.once('close', () => {
        open.delete(response);
        if (open.size === 0 && socket.writable) this.#afterAnswers.get(socket)?.();
        // While the server stops.
        if (!http.listening) http.closeIdleConnections();
      });
      if (open.size > MAX_ANSWERS) socket.destroy();
    });
  }

  /** The unfinished answers of a connection. */
  of(connection: Duplex): Iterable<ServerResponse> {
    return this.#answers.get(connection) ?? [];
  }

  #answersOf(connection: Duplex): Set<ServerResponse> {
    let open = this.#answers.get(connection);
    if (open === undefined) {
      this.#answers.set(connection, (open = new Set()));
      connection.once('close', () => this.#closeAll(connection));
    }
    return open;
  }

  /** Node emits no close on answers that wait for earlier ones when the connection closes. */
  #closeAll(connection: Duplex): void {
    for (const response of [...this.of(connection)]) {
      if (response.socket !== null || response.closed) continue;
      response.destroy();
      response.emit('close');
    }
  }

  /** The next answer to be sent on a connection. */
  next(connection: Duplex): ServerResponse | undefined {
    const [next] = this.of(connection);
    return next;
  }

  /**
   * Calls back after the unfinished answers of a connection: at once without any, and never if the connection closes
   * first.
   */
  afterAnswers(connection: Duplex, then: () => void): void {
    this.unused.delete(connection);
    if (this.next(connection) === undefined) return then();
    this.#afterAnswers.set(connection, () => {
      this.#afterAnswers.delete(connection);
      then();
    });
  }
}
