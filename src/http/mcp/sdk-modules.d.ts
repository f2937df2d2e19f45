/**
 * The parts of @modelcontextprotocol/sdk that Parley and its tests use. The package is optional: sources are checked without
 * it.
 */
declare module '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js' {
  export class WebStandardStreamableHTTPServerTransport {
    /** Without a generator of session ids, each request needs its own transport. */
    constructor(options: { sessionIdGenerator: undefined; enableJsonResponse: boolean });
    handleRequest(request: Request, options: { parsedBody: unknown }): Promise<Response>;
  }
}

declare module '@modelcontextprotocol/sdk/server/mcp.js' {
  import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
  import type { ZodObject } from 'zod';

  export interface ToolResult {
    content: { type: 'text'; text: string }[];
    isError?: boolean;
  }

  export class McpServer {
    constructor(info: { name: string; version: string }, options: { instructions: string });
    registerTool(
      name: string,
      config: {
        title: string;
        description: string;
        inputSchema: ZodObject;
        annotations: { readOnlyHint: boolean; destructiveHint?: boolean; openWorldHint: boolean };
      },
      run: (input: never) => Promise<ToolResult>,
    ): void;
    connect(transport: WebStandardStreamableHTTPServerTransport): Promise<void>;
    close(): Promise<void>;
  }
}

declare module '@modelcontextprotocol/sdk/client/streamableHttp.js' {
  export class StreamableHTTPClientTransport {
    constructor(url: URL, options?: { requestInit?: RequestInit });
  }
}

declare module '@modelcontextprotocol/sdk/client/index.js' {
  import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

  export class Client {
    constructor(info: { name: string; version: string });
    connect(transport: StreamableHTTPClientTransport): Promise<void>;
    listTools(): Promise<{ tools: { name: string; inputSchema: object; annotations?: object }[] }>;
    callTool(call: {
      name: string;
      arguments: object;
    }): Promise<{ content: { type: string; text: string }[]; isError?: boolean }>;
    close(): Promise<void>;
  }
}
