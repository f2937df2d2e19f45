/** The namespace of the ids of first answers; any fixed UUID. */
const NAMESPACE = '6f3f0b54-8f0c-5c1e-9d0b-0d8f6f1f7a11';

/** The id of the first answer to a question, a UUID of version 5: repeated requests, in any process, share one draft. */
export async function answerIdOf(questionId: string): Promise<string> {
  const named = new TextEncoder().encode(questionId);
  const bytes = new Uint8Array([...namespaceBytes(), ...named]);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-1', bytes)).slice(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function namespaceBytes(): number[] {
  return Array.from(NAMESPACE.replaceAll('-', '').matchAll(/../g), ([pair]) => Number.parseInt(pair, 16));
}
