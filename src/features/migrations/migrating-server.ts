/** Answers health checks while the database is migrated, before the server can answer other requests. */
import { createServer, type Server } from 'node:http';
import type { Progress } from '../../database/writing/progress.js';
import { answerHealth, shownFill } from '../../http/server/health.js';
import { close, listen } from '../../http/server/listen.js';
import { refusal } from '../../http/server/loopback.js';
import { OpenAnswers } from '../../http/server/open-answers.js';
import { setSecurityHeaders } from '../../http/server/security-headers.js';

interface MigratingServerOptions {
  address: string;
  /** 0 listens on no port. */
  port: number;
  isDevelopment: boolean;
}

export class MigratingServer {
  #server: { http: Server; answers: OpenAnswers; listening: Promise<unknown> } | undefined;
  #state: (() => object) | undefined;

  constructor(private readonly options: MigratingServerOptions) {}

  /** Listens from the first migration or fill on. */
  report(progress: Progress): void {
    const startedAt = performance.now() - progress.seconds * 1_000;
    this.#state = () => {
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
      if ('fill' in progress) return { fill: shownFill({ ...progress, seconds }) };
      const { name, number, total, percent } = progress;
      return { migration: { name, number, total, ...(percent !== undefined && { percent }), seconds } };
    };
    if (this.options.port !== 0) this.#server ??= this.#listen();
  }

  #listen() {
    const { address, port, isDevelopment } = this.options;
    const http = createServer((request, response) => {
      setSecurityHeaders(response);
      // Clients must not keep a connection that ends with the migration.
      response.setHeader('connection', 'close');
      const refused = refusal(request, isDevelopment);
      if (refused !== null) return void response.writeHead(refused.status).end(refused.message);
      const readiness = () => Promise.resolve({ status: 'migrating', ...this.#state?.() });
      void answerHealth(request, response, readiness).then((isAnswered) => {
        if (!isAnswered) response.writeHead(503, { 'retry-after': '5' }).end('The database is being migrated.');
      });
    });
    // Another process on this port is a reason to fail for the server itself, after the migration.
    const listening = listen(http, address, port).catch(() => {});
    return { http, answers: new OpenAnswers(http), listening };
  }

  /** Frees the port. */
  async close(): Promise<void> {
    if (this.#server === undefined) return;
    const { http, answers, listening } = this.#server;
    this.#server = undefined;
    await listening;
    if (http.listening) await close(http, { unused: answers.unused, timeoutMs: CLOSE_TIMEOUT_MS, cut: () => {} });
  }
}

/** The time of a running answer, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000;
