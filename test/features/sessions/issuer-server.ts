/** A server whose pages sign in at an issuer, and a browser. */
import { startListening } from '../../support/server/listening-server.js';
import { browserOf } from './issuer-browser.js';
import { startIssuer, type Behaviour } from './issuer.js';

export async function startBoth(behaviour: Behaviour = {}, options: Parameters<typeof startListening>[0] = {}) {
  const issuer = await startIssuer(behaviour);
  const server = await startListening({ auth: issuer.auth, log: () => {}, ...options });
  return { issuer, server, browser: browserOf(server) };
}
