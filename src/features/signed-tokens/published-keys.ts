/** The published keys of the token issuer. */
import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, type JWTVerifyGetKey } from 'jose';
import { AuthenticationUnavailableError } from '../../auth/errors.js';
import { hasCredentials } from './options.js';

/** Milliseconds that the issuer may take to answer. */
const KEYS_TIMEOUT_MS = 5_000;

/**
 * Pause after a failed request: the first one, doubled each time, up to the maximum, which clients get as Retry-After.
 */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 5_000;

/** @throws Error when the URL has a password */
export function publishedKeys(url: string): { key: JWTVerifyGetKey; checkKeys: () => Promise<void> } {
  if (hasCredentials(url)) throw new Error('The URL of the published keys must have no user and password');
  const keys = createRemoteJWKSet(new URL(url), { timeoutDuration: KEYS_TIMEOUT_MS, [customFetch]: pausingFetch() });
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
        return unavailable(error);
      }
    },
    checkKeys: () => keys.reload().catch(unavailable),
  };
}

/** Pauses requests after failures: otherwise each operation would send one to a failing issuer. */
function pausingFetch(): FetchImplementation {
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
