/** Numbers as texts. */

/** A number of things, such as "1 chat" or "1,200 chats". */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  count === 1 ? `1 ${noun}` : `${count.toLocaleString('en')} ${nouns}`;

/** A number of bytes as text. */
export function bytes(count: number): string {
  if (count < 1_000_000) return `${Math.ceil(count / 1_000).toLocaleString('en')} KB`;
  return `${(count / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
}

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
