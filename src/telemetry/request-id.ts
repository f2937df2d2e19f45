import { randomUUID } from 'node:crypto';

/** Characters that are safe in a log line. */
const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;

/** The id under which a request is logged: its X-Request-Id, or a generated one. */
export function requestIdOf(given: string | readonly string[] | null | undefined): string {
  return typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();
}
