/** The Model Context Protocol at /mcp: see docs/clients/mcp.md. */
import type { Feature } from '../../feature.js';
import type { ValuesOf } from '../../settings/setting.js';
import { mcpRoute } from './mcp-route.js';
import type { mcpSettings } from './settings.js';

export const mcp: Feature<ValuesOf<typeof mcpSettings>> = {
  paths: ['/mcp'],
  open: (_connection, { mcpWrite }) => ({
    serve: () => ({ routes: (services) => ({ '/mcp': mcpRoute(services, mcpWrite) }) }),
  }),
};
