import { createHash } from 'node:crypto';

/** The SHA-256 of a text in hex. */
export async function textDigest(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const sum = createHash('sha256');
  for await (const chunk of bytes) sum.update(chunk);
  return sum.digest('hex');
}
