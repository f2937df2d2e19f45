/** The text of chunks, joined as on the server: strings, and text deltas of the AI SDK. */
export function draftText(chunks: readonly unknown[]): string {
  return chunks
    .map((chunk) => {
      if (typeof chunk === 'string') return chunk;
      const { type, delta } = (chunk ?? {}) as { type?: unknown; delta?: unknown };
      return type === 'text-delta' && typeof delta === 'string' ? delta : '';
    })
    .join('');
}
