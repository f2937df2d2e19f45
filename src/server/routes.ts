/** The routes of the main port, in the order in which they are tried. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RouteServices } from '../feature.js';
import { featuresForProcesses } from '../features/all-features.js';
import { IN_MEMORY } from '../database/connection/database-url.js';
import { whenLeft } from '../http/limits/usage.js';
import type { Health } from '../http/server/health.js';
import { createTransferRoutes } from '../http/transfer/transfer-routes.js';
import { OTHER_ROUTE, routeOf } from './paths.js';
import type { LiveDatabase } from './live-database.js';
import type { Settings } from './settings.js';
import { contextOf, type Transports } from './transports.js';
import type { Observer } from '../observer.js';
import { envelopedFor, type Yoga } from '../http/websocket/graphql-ws-adapter.js';

export const GRAPHQL_PATH = '/graphql';

/** The handler of all requests, and the rest of createTransferRoutes. */
export function createRoutes(settings: Settings, live: LiveDatabase, { shared, yoga }: Transports, health: Health) {
  const { databaseUrl: url, statementTimeouts, isDevelopment, reportSweepError } = settings;
  const { features, onChange, onErased, database } = live;
  const onError = (error: unknown) => {
    if (!features.some((each) => each.report?.(error))) reportSweepError(error);
  };
  const { observer, auditor } = shared;
  const beginAudit: RouteServices['beginAudit'] = ({ viewer }, request) => {
    const [, route = ''] = routeOf(request.url).split('/');
    return auditor?.begin(viewer, { ...observer.callerOf(request), route: `/${route}` }) ?? null;
  };
  const services: RouteServices = {
    run: documentRunner({ yoga, observer }),
    admit: shared.admit,
    beginAudit,
    mayConnect: (headers) => shared.origins.mayConnect(headers),
    currentReads: database.currentReads,
    files: contextOf(features).files,
    areUsersKnown: !isDevelopment,
    processSettings: url === IN_MEMORY ? null : { url, statementTimeouts, features: featuresForProcesses(settings) },
    onChange,
    onErased,
    onError,
  };
  const routes = new Map(features.flatMap((each) => Object.entries(each.routes?.(services) ?? {})));
  const transfers = createTransferRoutes({ ...shared, beginAudit, routes, onError });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const route = routeOf(request.url);
    if (route === GRAPHQL_PATH) return yoga(request, response);
    if (route === OTHER_ROUTE) return void response.writeHead(404).end();
    if (await health.answer(request, response)) return;
    if (await transfers.answer(request, response)) return;
    response.writeHead(404).end();
  };
  return { ...transfers, answer };
}

/** Runs documents of routes beside GraphQL as operations. */
function documentRunner({ yoga, observer }: { yoga: Yoga; observer: Observer }): RouteServices['run'] {
  return async ({ request, response, url, session }, document, variableValues) => {
    const { schema, contextFactory, execute } = envelopedFor(yoga, { session });
    const contextValue = await contextFactory();
    contextValue.onLeave = whenLeft.bind(null, response);
    const caller = observer.callerOf(request);
    contextValue.caller = { ...caller, route: url.pathname };
    const observed = observer.operation(caller, session.viewer.userId);
    observed.setDocument(document, null);
    const result = await observed.run(execute)({ schema, document, variableValues, contextValue });
    observed.end(result.errors);
    return result;
  };
}
