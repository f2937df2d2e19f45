/** A server from its options: all parts are built and connected here, and started and stopped in order. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ContextStore } from '@parley/context';
import type { Viewer } from './conversation/model.js';
import { LOCAL_ADMIN } from './conversation/access/ownership.js';
import { parseDatabaseUrl } from './database/connection/database-url.js';
import { createTelemetry, MigratingServer, openAuditor } from './features/all-features.js';
import { createHealth } from './http/server/health.js';
import { createHttpServer } from './http/server/http-server.js';
import { InProcessStore } from './features/in-process/in-process-store.js';
import { HEAP_BYTES } from './limits/limits.js';
import { Spool, SPOOL_SHARE_OF_A_USER } from './limits/spool.js';
import { unreadBytes } from './limits/memory.js';
import type { ServerOptions } from './server-options.js';
import { openLiveDatabase } from './server/live-database.js';
import { createRoutes, GRAPHQL_PATH } from './server/routes.js';
import { readSettings } from './server/settings.js';
import { contextOf, createTransports } from './server/transports.js';
import { routeOf } from './server/paths.js';

export type { ServerOptions };

/** A connection may be idle this long after the longest operation. */
const STALL_MS = 60_000;

export interface ParleyServer {
  /**
   * Listens.
   * @returns the URL of GraphQL, such as http://127.0.0.1:4000/graphql
   * @throws Error when the address cannot be used
   */
  start(): Promise<string>;
  /**
   * Stops listening, finishes running operations, ends the connections, and closes the database. Subscribers are asked to
   * reconnect.
   */
  stop(): Promise<void>;
  /** Answers a request without a socket. */
  fetch(request: Request): Promise<Response>;
  /**
   * The server's conversations for a ContextEngine in the same process. It uses the database of the server and must not be
   * closed; subscribers of a chat receive its saves.
   * @param viewer the user on whose behalf it works, without a check. The admin `local` by default
   */
  contextStore(viewer?: Viewer): ContextStore;
}

/**
 * Opens the database, brings it up to date, and builds the server on it. While it migrates a database with content, its
 * port answers health checks.
 * @throws Error when the host is not a loopback address, or the database cannot be opened or migrated
 */
export async function createServer(options: ServerOptions): Promise<ParleyServer> {
  const settings = await readSettings(options);
  const { isDevelopment, limits, address, port, shutdownTimeoutMs } = settings;
  const { addressOf, connectionAddressOf, reportError, log, logOperation, logRequest } = settings;
  const telemetry = await createTelemetry({
    database: parseDatabaseUrl(settings.databaseUrl).provider,
    traceEndpoint: settings.traceEndpoint,
    serviceName: settings.serviceName,
    onStatement: settings.onStatement,
    log,
    routeOf,
    addressOf,
    logOperation,
    logRequest,
  });
  const { observer, registry } = telemetry;
  const migrating = new MigratingServer(settings);
  /** Undoes what has begun, last first. */
  const opened = [() => telemetry.stop(), () => migrating.close()];
  const closing = async (error: unknown) => {
    for (const close of opened.reverse()) await close();
    throw error;
  };
  const auditor = await openAuditor(settings, { serviceName: settings.serviceName, log, registry }).catch(closing);
  if (auditor !== null) opened.unshift(() => auditor.close());
  const spool = new Spool(limits.importSpoolBytes, isDevelopment ? 1 : SPOOL_SHARE_OF_A_USER);
  const live = await openLiveDatabase(settings, telemetry.statement, (progress) => migrating.report(progress), {
    registry,
    auditor,
    spool,
  }).catch(closing);
  opened.push(() => live.close());
  const { database, feeds } = live;
  const { store, reads } = database;
  const transports = createTransports(settings, live, { observer, auditor });
  const { yoga, subscriptions, webSockets, shared } = transports;
  const { files } = contextOf(live.features);
  let isStopped = false;
  const { ping, migrations } = database;
  const obstacles = async () => {
    const found = await database.obstacles();
    const problems = [auditor?.problem, ...live.features.map((each) => each.problem?.())];
    return { ...found, warnings: [...found.warnings, ...problems.filter((problem) => problem != null)] };
  };
  const health = createHealth({
    ping,
    migrations,
    obstacles,
    bus: live.busState,
    fill: live.fill,
    features: () => Object.assign({}, ...live.features.map((each) => each.readiness?.())) as object,
    isStopping: () => isStopped,
  });
  const routes = createRoutes(settings, live, transports, health);
  const http = createHttpServer({
    isDevelopment,
    requestTimeoutMs: limits.requestTimeoutMs,
    uploadTimeoutMs: limits.uploadTimeoutMs,
    isUpload: routes.isUpload,
    keepAliveTimeoutMs: limits.keepAliveTimeoutMs,
    stalledAfterMs: Math.max(limits.queryTimeoutMs, limits.mutationTimeoutMs) + STALL_MS,
    maxUnreadBytes: unreadBytes(HEAP_BYTES, limits.maxContentBytes),
    connections: { perAddress: limits.maxConnectionsPerAddress, addressOf: connectionAddressOf, log },
    observer,
    onUnreadable: (connection, status) => observer.refusedConnection(connectionAddressOf(connection), status),
    answer: routes.answer,
    onError: reportError,
    upgrade: (...connection) => webSockets.handleUpgrade(...connection),
  });
  telemetry.read({
    connections: () => http.connections,
    sockets: () => webSockets.size,
    subscriptions: () => ({ ...subscriptions.size, delivered: subscriptions.delivered }),
    feeds: () => ({ chats: feeds.size, ...feeds.lag }),
    bus: live.busState,
    fill: live.fill,
    health: () => health.read(),
    pools: () => database.pools(),
  });
  return {
    start: async () => {
      // Not awaited: the server also starts while the issuer of tokens is unavailable.
      void shared.admission.checkKeys();
      await migrating.close();
      for (const each of live.features) await each.listen?.(address);
      return `http://${await http.listen(address, port)}${GRAPHQL_PATH}`;
    },
    stop: async () => {
      isStopped = true;
      await migrating.close();
      const closed = http.close(shutdownTimeoutMs, () => webSockets.terminate());
      webSockets.retire();
      subscriptions.stop();
      await closed;
      webSockets.terminate();
      // Their clients are disconnected, so the routes end their work and delete its files.
      await Promise.race([routes.close(), pause(shutdownTimeoutMs, undefined, { ref: false })]);
      await live.close();
      await telemetry.stop();
      await auditor?.close();
    },
    fetch: async (request) =>
      new URL(request.url).pathname === GRAPHQL_PATH ? yoga.fetch(request) : new Response(null, { status: 404 }),
    contextStore: (viewer = LOCAL_ADMIN) =>
      new InProcessStore({ store, reads, files, features: live.opened, viewer, isClosed: () => isStopped }),
  };
}
