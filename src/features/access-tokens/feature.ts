/** Access tokens of users: see docs/access/access-tokens.md. */
import type { Feature } from '../../feature.js';
import { Periodic } from '../../scheduler/periodic.js';
import './graphql.js';
import { TokenSessions } from './token-sessions.js';
import { AccessTokenRecords } from './token-records.js';

declare module '../../graphql/context.js' {
  interface FeatureContext {
    readonly accessTokens: Pick<TokenSessions, 'records' | 'revoke'>;
  }
}

export const accessTokens: Feature = {
  open: (connection) => ({
    serve: ({ sweepIntervalMs, publish, onError }) => {
      const sessions = new TokenSessions({ records: new AccessTokenRecords(connection), publish, onError });
      const sweeps = new Periodic(() => sessions.running.sweep(), { intervalMs: sweepIntervalMs, onError });
      return {
        context: { accessTokens: sessions },
        authenticator: (base) => sessions.accepting(base),
        onNotice: (tokenId) => sessions.running.wake(tokenId),
        sweep: () => sweeps.run(),
        close: () => sweeps.close(),
      };
    },
  }),
};
