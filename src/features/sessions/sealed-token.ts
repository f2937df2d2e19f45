/** A token encrypted with the secret of its session, so that neither the database nor the cookie alone contains it. */
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A new secret: 256 random bits. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** The stored hash of a secret; null for a text that is none. */
export const hashOf = (secret: string): string | null => (SECRET.test(secret) ? hash('sha256', secret) : null);

export function seal(token: string, secret: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(secret), iv);
  return Buffer.concat([iv, cipher.update(token), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** @throws Error for a changed row */
export function unseal(sealed: string, secret: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(ALGORITHM, keyOf(secret), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString();
}

const keyOf = (secret: string): Buffer => Buffer.from(secret, 'base64url');
