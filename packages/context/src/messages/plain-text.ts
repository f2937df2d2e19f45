import { isRecord } from '../record.js';

/** The texts of a UIMessage; null for another shape, and without a text part. */
export function plainTextOf(data: unknown): string | null {
  if (typeof data === 'string') return data;
  if (!isRecord(data) || !Array.isArray(data['parts'])) return null;
  const texts = (data['parts'] as unknown[]).flatMap((part) =>
    isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  return texts.length === 0 ? null : texts.join('\n');
}
