import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The answers under way of each connection: requests may be sent without waiting for the answers to those before. */
export class OpenAnswers {
  readonly #answers = new WeakMap<Duplex, Set<ServerResponse>>();
  /** What is to be done on a connection when it has none. */
  readonly #behind = new WeakMap<Duplex, () => void>();

  constructor(http: Server) {
    http.on('request', ({ socket }, response) => {
      const open = this.#answersOf(socket).add(response);
      response.once('close', () => {
        open.delete(response);
        if (open.size === 0 && socket.writable) this.#behind.get(socket)?.();
      });
    });
  }

  #answersOf(connection: Duplex): Set<ServerResponse> {
    let open = this.#answers.get(connection);
    if (open === undefined) {
      this.#answers.set(connection, (open = new Set()));
      connection.once('close', () => this.#closeAll(connection));
    }
    return open;
  }

  /** Node reports nothing to answers that were waiting for those before them when the connection closed. */
  #closeAll(connection: Duplex): void {
    for (const response of [...(this.#answers.get(connection) ?? [])]) {
      if (response.socket !== null || response.closed) continue;
      response.destroy();
      response.emit('close');
    }
  }

  /** The answer that comes next on a connection. */
  next(connection: Duplex): ServerResponse | undefined {
    const [next] = this.#answers.get(connection) ?? [];
    return next;
  }

  /** Does something when all of them are over: at once if there are none, and not at all if the connection ends with them. */
  behind(connection: Duplex, then: () => void): void {
    if (this.next(connection) === undefined) return then();
    this.#behind.set(connection, () => {
      this.#behind.delete(connection);
      then();
    });
  }
}
