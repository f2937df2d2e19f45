/** Metrics at /metrics; createTelemetry and createLogger are called by the process of a server. */
import type { Server } from 'node:http';
import type { Feature } from '../../feature.js';
import { listen } from '../../http/server/listen.js';
import type { ValuesOf } from '../../settings/setting.js';
import { createMetricsServer, metricsRoute } from './metrics-page.js';
import type { telemetrySettings } from './settings.js';

export const telemetry: Feature<ValuesOf<typeof telemetrySettings>> = {
  internalPaths: ['/metrics'],
  open: (_connection, { metricsPort }) => ({
    serve: ({ registry }) => {
      let server: Server | undefined;
      return {
        routes: (services) => {
          if (metricsPort === undefined) return { '/metrics': metricsRoute(registry, services) };
          server = createMetricsServer(registry, !services.areUsersKnown);
          return {};
        },
        listen: async (address) => {
          if (server && metricsPort !== undefined) await listen(server, address, metricsPort, 'METRICS_PORT');
        },
        close: async () => server?.close().closeAllConnections(),
      };
    },
  }),
};
