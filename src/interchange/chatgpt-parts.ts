/** The content of a ChatGPT message as the parts of a UI message. */
import { isJsonObject } from '../conversation/merge-patch.js';

/** Members of a content that hold text to read, by the content types that are known to have them. */
const TEXT_MEMBERS = [
  'text', // text, code, execution_output, tether_quote, system_error
  'result', // tether_browsing_display
  'summary', // tether_browsing_display
  'user_profile', // user_editable_context
  'user_instructions', // user_editable_context
  'model_set_context', // model_editable_context
];

export interface ReadContent {
  parts: unknown[];
  /** The members of the content that the parts do not carry to the letter. */
  rest: unknown;
}

/**
 * Parts of type text, reasoning, and data-<content type> for what is neither. An empty text gives no part.
 * @param content the `content` of a message, of whatever shape
 */
export function readContent(content: unknown): ReadContent {
  if (typeof content === 'string') return { parts: texts([content]), rest: content === '' ? content : undefined };
  if (!isJsonObject(content)) return { parts: [], rest: content };
  const type = contentType(content);
  if (type === 'thoughts') return { parts: thoughts(content['thoughts']), rest: content };
  if (type === 'reasoning_recap') return { parts: reasoning([content['content']]), rest: content };
  if (Array.isArray(content['parts'])) return readParts(content, content['parts']);

  const members = TEXT_MEMBERS.filter((name) => typeof content[name] === 'string');
  const parts = texts(members.map((name) => content[name]));
  if (members.length === 0) return { parts: [dataPart(content)], rest: { content_type: content['content_type'] } };
  const [only] = members;
  return { parts, rest: members.length === 1 && parts.length === 1 && only ? without(content, only) : content };
}

function readParts(content: Record<string, unknown>, original: unknown[]): ReadContent {
  const parts = original.flatMap(readPart);
  // As many non-empty texts as there are parts: they can be had back from the message.
  const isCarried = original.length > 0 && original.every((part) => typeof part === 'string' && part !== '');
  return { parts, rest: isCarried ? without(content, 'parts') : content };
}

function readPart(part: unknown): unknown[] {
  if (typeof part === 'string') return texts([part]);
  if (!isJsonObject(part)) return part === null ? [] : [dataPart(part)];
  if (part['content_type'] === 'audio_transcription' && typeof part['text'] === 'string') return texts([part['text']]);
  return [dataPart(part)];
}

function thoughts(list: unknown): unknown[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((thought: unknown) => {
    if (typeof thought === 'string') return reasoning([thought]);
    return isJsonObject(thought) ? reasoning([thought['summary'], thought['content']]) : [];
  });
}

/** One part of several texts, a blank line between them. */
function reasoning(candidates: unknown[]): unknown[] {
  const text = candidates.filter((each) => typeof each === 'string' && each !== '').join('\n\n');
  return text === '' ? [] : [{ type: 'reasoning', text }];
}

function texts(candidates: unknown[]): unknown[] {
  return candidates.filter((text) => typeof text === 'string' && text !== '').map((text) => ({ type: 'text', text }));
}

function dataPart(data: unknown): unknown {
  return { type: `data-${isJsonObject(data) ? contentType(data) : 'unknown'}`, data };
}

function contentType(content: Record<string, unknown>): string {
  const type = content['content_type'];
  return typeof type === 'string' && type !== '' ? type : 'unknown';
}

function without(object: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}
