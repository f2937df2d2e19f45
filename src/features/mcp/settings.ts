/** The settings of MCP. */
import { flag } from '../../settings/declare-setting.js';

export const mcpSettings = {
  /**
   * Whether MCP clients with a right to write can save messages and create branches: see docs/clients/mcp.md.
   * @default false
   */
  mcpWrite: flag('MCP_WRITE', false).means(
    '`true` lets [MCP clients](clients/mcp.md) save messages and create branches',
  ),
};
