/** The keys that the issuer of tokens publishes. */
import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, type JWTVerifyGetKey } from 'jose';
import { AuthenticationUnavailableError } from './errors.js';
import { hasCredentials } from './keys-url.js';

/** How long the issuer has to answer with its keys, in milliseconds. */
const KEYS_TIMEOUT_MS = 5_000;

/** How long it is left alone when it did not: at first, doubled each time, and at most, which is what clients are told to wait. */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 5_000;

/** @throws Error when the URL has a password in it */
export function publishedKeys(url: string): { key: JWTVerifyGetKey; look: () => Promise<void> } {
  if (hasCredentials(url)) throw new Error('The URL of the published keys must have no user and password');
  const keys = createRemoteJWKSet(new URL(url), { timeoutDuration: KEYS_TIMEOUT_MS, [customFetch]: patient() });
  const unavailable = (error: unknown): never => {
    const cause = new Error(`no keys from ${new URL(url).host}`, { cause: error });
    throw new AuthenticationUnavailableError({ cause });
  };
  return {
    key: async (header, token) => {
      try {
        return await keys(header, token);
      } catch (error) {
        if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
        // A header that asks for something that no key is for.
        if (error instanceof errors.JOSENotSupported) throw error;
        return unavailable(error);
      }
    },
    look: () => keys.reload().catch(unavailable),
  };
}

/** Asks no more often than an issuer in trouble can bear: each request would ask it anew. */
function patient(): FetchImplementation {
  let [failure, pause, silentUntil]: [unknown, number, number] = [null, FIRST_PAUSE_MS, 0];
  return async (url, options) => {
    if (Date.now() < silentUntil) throw failure;
    try {
      const response = await fetch(url, options);
      if (response.status !== 200) throw new Error(`it answered with status ${response.status}`);
      const set = (await response.json()) as { keys?: unknown };
      if (!Array.isArray(set.keys)) throw new Error('it answered no set of keys');
      pause = FIRST_PAUSE_MS;
      return Response.json(set);
    } catch (error) {
      failure = error;
      silentUntil = Date.now() + pause;
      pause = Math.min(2 * pause, LAST_PAUSE_MS);
      throw error;
    }
  };
}
