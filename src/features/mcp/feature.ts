/** The Model Context Protocol at /mcp: see docs/clients/mcp.md. */
import type { Feature } from '../../feature.js';
import { mcpRoute } from './mcp-route.js';

export interface McpSettings {
  /**
   * Whether MCP clients with a right to write can save messages and create branches: see docs/clients/mcp.md.
   * @default false
   */
  mcpWrite?: boolean | undefined;
}

export const mcp: Feature<McpSettings> = {
  name: 'mcp',
  paths: ['/mcp'],
  open: (_connection, { mcpWrite = false }) => ({
    serve: () => ({ routes: (services) => ({ '/mcp': mcpRoute(services, mcpWrite) }) }),
  }),
};
