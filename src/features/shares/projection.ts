/**
 * The part of a message that a share shows: an allowlist, so that new kinds of parts and members stay private. See
 * docs/access/shares.md.
 */
import { isJsonObject } from '../../conversation/text/merge-patch.js';
import { messageText } from '../../conversation/text/message-text.js';

/** The optional parts of a share. */
export interface Included {
  readonly includeReasoning: boolean;
  readonly includeTools: boolean;
}

type Json = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isAny = (value: unknown) => value !== undefined;

/** The members of each kind of part, with the condition of their values. */
const FILE = { mediaType: isText, filename: isText, url: isText, data: isText, image: isText };
const TEXT = { text: isText };
const TOOL = {
  toolName: isText,
  state: isText,
  input: isAny,
  args: isAny,
  output: isAny,
  result: isAny,
  errorText: isText,
  isError: (value: unknown) => typeof value === 'boolean',
};

/** The data that a share shows, for the data of a message that is not hidden: parts or content of a message, or a text. */
export function projectedData(data: unknown, included: Included): unknown {
  if (isJsonObject(data)) {
    const key = 'parts' in data && data['parts'] != null ? 'parts' : 'content';
    const parts = data[key];
    if (Array.isArray(parts)) return { [key]: parts.flatMap((part: unknown) => projectedPart(part, included)) };
  }
  return messageText(data);
}

function projectedPart(part: unknown, { includeReasoning, includeTools }: Included): Json[] {
  if (!isJsonObject(part)) return [];
  const { type } = part;
  if (typeof type !== 'string') return [];
  if (type === 'text') return isText(part['text']) ? [members(part, TEXT)] : [];
  if (type === 'file' || type === 'image') return [members(part, FILE)];
  if (type === 'reasoning') return includeReasoning && isText(part['text']) ? [members(part, TEXT)] : [];
  const isTool = type.startsWith('tool-') || type === 'dynamic-tool';
  return isTool && includeTools ? [members(part, TOOL)] : [];
}

function members(part: Json, allowed: Readonly<Record<string, (value: unknown) => boolean>>): Json {
  const shown: Record<string, unknown> = { type: part['type'] };
  for (const name in allowed) {
    const value = Object.hasOwn(part, name) ? part[name] : undefined;
    if (value !== undefined && allowed[name]?.(value) === true) shown[name] = value;
  }
  return shown;
}
