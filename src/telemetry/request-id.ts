import { randomUUID } from 'node:crypto';

/** What is safe in a log line, whoever has chosen it. */
const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;

/** The id under which a request is logged: the one that it brings, in X-Request-Id, or one of its own. */
export function requestIdOf(given: string | readonly string[] | null | undefined): string {
  return typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();
}
