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
      /** The beginnings of its input and output. */
      excerpt: string | null;
      result: string | null;
      /** Where its writer measured it. */
      durationMs: number | null;
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
  const call = callOf(part);
  if (call === null) return data;
  const { toolName = type.replace(/^tool-/, ''), state, input, output, errorText, durationMs } = call;
  if (typeof toolName !== 'string') return data;
  return {
    kind: 'tool',
    name: cut(toolName),
    state: typeof state === 'string' && Object.hasOwn(TOOL_STATES, state) ? (TOOL_STATES[state] ?? null) : null,
    excerpt: excerptOf(input),
    result: excerptOf(state === 'output-error' ? errorText : output),
    durationMs: typeof durationMs === 'number' ? durationMs : null,
  };
}

/** The fields of a tool call, which imports store as data where it has no result; null for other parts. */
function callOf(part: Record<string, unknown>): Record<string, unknown> | null {
  const { type, data } = part;
  if (type === 'data-tool-call') return isRecord(data) ? data : null;
  return type === 'dynamic-tool' || String(type).startsWith('tool-') ? part : null;
}

/** The input and the output of a tool call, as it has them. */
export function toolFields(part: unknown): [label: string, value: unknown][] {
  const { input, output, errorText } = (isRecord(part) ? callOf(part) : null) ?? {};
  const fields: [string, unknown][] = [
    ['Input', input],
    ['Output', output],
    ['Error', errorText],
  ];
  return fields.filter(([, value]) => value !== undefined);
}

/** The id of a call that a part names without its result; null for other parts. */
export function unansweredCall(part: unknown): string | null {
  if (!isRecord(part) || part['type'] !== 'data-tool-call' || !isRecord(part['data'])) return null;
  const id = part['data']['toolCallId'];
  return typeof id === 'string' ? id : null;
}

/** The ids of the calls whose results a message contains. */
export function answeredCalls(data: unknown): string[] {
  return (partsOf(data) ?? []).flatMap((part) =>
    isRecord(part) && part['type'] !== 'data-tool-call' && typeof part['toolCallId'] === 'string'
      ? [part['toolCallId']]
      : [],
  );
}

/** The values of an input or output, such as "Porto, 2"; null without values. */
function excerptOf(given: unknown): string | null {
  const values = isRecord(given) ? Object.values(given) : [given];
  const texts = values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value)).map(String);
  return cut(texts.slice(0, MAX_EXCERPT_VALUES).join(', '));
}

/** Null for a missing or empty name. */
const cut = (name: string | null | undefined): string | null => name?.slice(0, MAX_NAME_LENGTH) || null;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isHttp = (url: unknown): url is string => typeof url === 'string' && /^https?:/i.test(url);

/** Whether a value is a name or undefined. */
const isName = (value: unknown): value is string | null | undefined => value == null || typeof value === 'string';
