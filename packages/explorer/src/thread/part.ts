/** The parts of a UI message for display. Stored data is any JSON: each field is checked before its use. */
import { referencedFileId } from '@parley/client/files';

export type ShownPart =
  | { kind: 'none' }
  | { kind: 'text' | 'reasoning'; text: string }
  /** On another server: opened there. */
  | { kind: 'source' | 'file'; url: string; name: string | null }
  /** In the message itself. */
  | { kind: 'image'; url: string; name: string | null }
  /** On this server. */
  | { kind: 'stored-image' | 'stored-file'; fileId: string; name: string | null }
  /** A file without a link. */
  | { kind: 'named-file'; name: string | null }
  | {
      kind: 'tool';
      name: string | null;
      state: 'running' | 'done' | 'failed' | null;
      /** The beginning of its input. */
      excerpt: string | null;
      /** Such as "0.4 s", where its writer measured it. */
      duration: string | null;
    }
  /** Any other part. Its type is null where that is not a text, or empty. */
  | { kind: 'data'; type: string | null };

/** The types that the server serves for display. */
const SHOWN_IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp)$/i;

/** Maximum length of names and types in characters. */
const MAX_NAME_LENGTH = 200;

const MAX_EXCERPT_VALUES = 4;

const TOOL_STATES: Readonly<Record<string, 'running' | 'done' | 'failed'>> = {
  'input-streaming': 'running',
  'input-available': 'running',
  'output-available': 'done',
  'output-error': 'failed',
};

/** The parts of a message's data; null without parts. */
export function partsOf(data: unknown): readonly unknown[] | null {
  if (!isRecord(data) || !Array.isArray(data['parts'])) return null;
  const parts: readonly unknown[] = data['parts'];
  return parts.some((part) => isRecord(part) && typeof part['type'] === 'string') ? parts : null;
}

/** Whether the message's original product hides it, such as ChatGPT's custom instructions. */
export function isHidden(data: unknown): boolean {
  return isRecord(data) && isRecord(data['metadata']) && data['metadata']['hidden'] === true;
}

/** A part that does not match its type is shown as data. */
export function shownPart(part: unknown): ShownPart {
  if (!isRecord(part) || typeof part['type'] !== 'string') return { kind: 'data', type: null };
  const { type, text, url } = part;
  const data = { kind: 'data', type: cut(type) } as const;
  if (type === 'step-start') return { kind: 'none' };
  if (type === 'text' || type === 'reasoning') return typeof text === 'string' ? { kind: type, text } : data;
  if (type === 'source-url') {
    return isHttp(url) && isName(part['title']) ? { kind: 'source', url, name: cut(part['title']) } : data;
  }
  if (type === 'file') {
    const { filename, mediaType } = part;
    if (typeof url !== 'string' || !isName(filename) || !isName(mediaType)) return data;
    const name = cut(filename) ?? cut(mediaType);
    if (isHttp(url)) return { kind: 'file', url, name };
    const fileId = referencedFileId(url);
    if (fileId !== null) {
      return { kind: SHOWN_IMAGE.test(mediaType ?? '') ? 'stored-image' : 'stored-file', fileId, name };
    }
    return /^data:image\/(png|jpeg|gif|webp|avif);/i.test(url)
      ? { kind: 'image', url, name }
      : { kind: 'named-file', name };
  }
  if (type === 'dynamic-tool' || type.startsWith('tool-')) {
    const { toolName = type.replace(/^tool-/, '') } = part;
    if (typeof toolName !== 'string') return data;
    const { state, input, durationMs } = part;
    return {
      kind: 'tool',
      name: cut(toolName),
      state: typeof state === 'string' && Object.hasOwn(TOOL_STATES, state) ? (TOOL_STATES[state] ?? null) : null,
      excerpt: excerptOf(input),
      duration: typeof durationMs === 'number' ? `${(durationMs / 1_000).toFixed(1)} s` : null,
    };
  }
  return data;
}

/** The values of an input, such as "Porto, 2"; null without input. */
function excerptOf(input: unknown): string | null {
  const values = isRecord(input) ? Object.values(input) : [input];
  const texts = values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value)).map(String);
  return cut(texts.slice(0, MAX_EXCERPT_VALUES).join(', '));
}

/** Null for a missing or empty name. */
const cut = (name: string | null | undefined): string | null => name?.slice(0, MAX_NAME_LENGTH) || null;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isHttp = (url: unknown): url is string => typeof url === 'string' && /^https?:/i.test(url);

/** Whether a value is a name or undefined. */
const isName = (value: unknown): value is string | null | undefined => value == null || typeof value === 'string';
