import { createHash } from 'node:crypto';

/** SHA-256 of a secret in hex. Secrets are random, so that a fast hash suffices. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
