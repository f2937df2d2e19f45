/** The routes of the main port, in the order in which they are tried. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Auditor } from '../audit.js';
import type { OpenRoute, Route } from '../route.js';
import type { ProcessSettings, RouteServices as FeatureServices, ServingFeature } from '../feature.js';
import { featuresForProcesses } from '../features/all-features.js';
import { IN_MEMORY } from '../database/connection/database-url.js';
import type { Health } from '../http/server/health.js';
import { documentRunner } from '../http/documents/run-document.js';
import { createTransferRoutes } from '../http/transfer/transfer-routes.js';
import { OTHER_ROUTE, routeOf } from './paths.js';
import type { LiveDatabase } from './live-database.js';
import type { Settings } from './settings.js';
import { contextOf, type Transports } from './transports.js';

export const GRAPHQL_PATH = '/graphql';

export interface RouteServices {
  live: LiveDatabase;
  transports: Transports;
  health: Health;
  /** Null when it is off. */
  auditor: Auditor | null;
}

/** The routes of features by path. */
function routesOf(features: readonly ServingFeature[], services: FeatureServices): Map<string, Route | OpenRoute> {
  return new Map(features.flatMap((each) => Object.entries(each.routes?.(services) ?? {})));
}

function processSettingsOf(settings: Settings): ProcessSettings | null {
  const { databaseUrl: url, statementTimeouts } = settings;
  return url === IN_MEMORY ? null : { url, statementTimeouts, features: featuresForProcesses(settings) };
}

/** The handler of all requests, and the rest of createTransferRoutes. */
export function createRoutes(settings: Settings, { live, transports, health, auditor }: RouteServices) {
  const { isDevelopment, reportSweepError } = settings;
  const { shared, yoga } = transports;
  const onError = (error: unknown) => {
    if (!live.features.some((each) => each.report?.(error))) reportSweepError(error);
  };
  const transfers = createTransferRoutes({
    ...shared,
    routes: routesOf(live.features, {
      run: documentRunner({ yoga, observer: shared.observer }),
      admit: shared.admit,
      mayConnect: (headers) => shared.origins.mayConnect(headers),
      currentReads: live.database.currentReads,
      files: contextOf(live.features).files,
      areUsersKnown: !isDevelopment,
      processSettings: processSettingsOf(settings),
      onChange: live.onChange,
      onErased: live.onErased,
      onError,
    }),
    auditor,
    onError,
  });
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
