/** What a message holds beside its text, by names: for pages that people read, which show text alone. */
import type { ArchivedMessage } from '../../conversation/archive.js';
import { isJsonObject } from '../../conversation/merge-patch.js';
import { messageText } from '../../conversation/message-text.js';

/** One name for each kind and tool, in the order of the parts: `thoughts`, `tool search`, `file photo.png`. */
export function notShownIn({ data }: Pick<ArchivedMessage, 'data'>): string[] {
  const value: unknown = JSON.parse(data);
  const parts = isJsonObject(value) ? (value['parts'] ?? value['content']) : null;
  if (!Array.isArray(parts)) return messageText(value) === '' ? ['data'] : [];
  return [...new Set((parts as unknown[]).flatMap((part) => (isJsonObject(part) ? nameOf(part) : [])))];
}

function nameOf(part: Record<string, unknown>): string[] {
  const type = text(part['type']) ?? '';
  if (type === 'text' || type === 'step-start') return [];
  if (type === 'reasoning') return ['thoughts'];
  if (type === 'file') return [`file ${text(part['filename']) ?? text(part['mediaType']) ?? ''}`.trim()];
  if (type.startsWith('source-')) return ['sources'];
  if (type === 'dynamic-tool') return [`tool ${text(part['toolName']) ?? ''}`.trim()];
  if (type.startsWith('tool-')) return [`tool ${type.slice('tool-'.length)}`];
  if (type === 'data-tool-call' && isJsonObject(part['data'])) {
    return [`call of ${text(part['data']['toolName']) ?? 'a tool'}`];
  }
  return [type.replace(/^data-/, '').slice(0, 100) || 'data'];
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, 100) : null;
}
