/** The two modes of a server: audits must pass in both. */
import type { ServerOptions } from '../../src/server.js';
import { startListening, type ListeningServer } from '../support/server/listening-server.js';
import { AUTH, bearer } from '../support/server/tokens.js';

export interface AuditedServer extends Pick<ListeningServer, 'url' | 'webSocketUrl' | 'unexpectedErrors'> {
  /** The headers of a user; in production mode, of a user who is not an admin. */
  user: Record<string, string>;
  /** The headers of an admin. */
  admin: Record<string, string>;
}

export interface Mode {
  name: 'development' | 'production';
  start(options?: Partial<ServerOptions>): Promise<AuditedServer>;
}

export const development: Mode = {
  name: 'development',
  // Requests without a user are from the admin of this machine.
  start: async (options) => ({ ...(await startListening(options)), user: {}, admin: {} }),
};

export const production: Mode = {
  name: 'production',
  start: async (options) => ({
    ...(await startListening({ auth: AUTH, ...options })),
    user: await bearer('alice'),
    admin: await bearer('root', true),
  }),
};

export const modes = [development, production];
