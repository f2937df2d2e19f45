import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Unfinished answers on one connection; clients that pipeline requests have a few. */
const MAX_ANSWERS = 20;

/**
 * The unfinished answers of each connection: clients may pipeline requests. Too many disconnect it. Also the connections
 * without a request.
 */
export class OpenAnswers {
  /** Each with its begin, as performance.now() has it. */
  readonly #answers = new WeakMap<Duplex, Map<ServerResponse, number>>();
  /** Callbacks for when a connection has no unfinished answer. */
  readonly #afterAnswers = new WeakMap<Duplex, () => void>();

  /** Connections without a request yet, such as a browser's preconnections: Node does not count them as idle. */
  readonly unused = new Set<Duplex>();

  constructor(http: Server) {
    http.on('connection', (socket) => {
      // A connection can be emitted twice: see http-server.ts.
      if (this.#answers.has(socket)) return;
      this.#answers.set(socket, new Map());
      this.unused.add(socket);
      socket.once('close', () => this.#close(socket));
    });
    http.on('request', ({ socket }, response) => {
      this.unused.delete(socket);
      const open = this.#answers.get(socket) ?? new Map<ServerResponse, number>();
      open.set(response, performance.now());
      response.once('close', () => {
        open.delete(response);
        if (open.size === 0 && socket.writable) this.#afterAnswers.get(socket)?.();
        // While the server stops.
        if (!http.listening) http.closeIdleConnections();
      });
      if (open.size > MAX_ANSWERS) socket.destroy();
    });
  }

  of(connection: Duplex): Iterable<ServerResponse> {
    return this.#answers.get(connection)?.keys() ?? [];
  }

  /** Takes the requests of a connection that have begun before a time and have not arrived, each once. */
  takeLate(connection: Duplex, before: number): IncomingMessage[] {
    const late: IncomingMessage[] = [];
    const open = this.#answers.get(connection);
    for (const [response, began] of open ?? []) {
      if (began >= before || response.req.complete) continue;
      open?.set(response, Infinity);
      late.push(response.req);
    }
    return late;
  }

  #close(connection: Duplex): void {
    this.unused.delete(connection);
    // Node emits no close on answers that wait for earlier ones when the connection closes.
    for (const response of [...this.of(connection)]) {
      if (response.socket !== null || response.closed) continue;
      response.destroy();
      response.emit('close');
    }
  }

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
