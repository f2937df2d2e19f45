/** The content of a ChatGPT message as the parts of a UI message. */
import { isJsonObject, type JsonObject } from '../../file-values.js';
import { without } from '../shared/members.js';
import { dataPart, reasoningParts, textParts } from '../shared/parts.js';
import type { MessagePart } from '../../source-conversation.js';
import { imagePart } from './images.js';

/** Members with readable text, by the content types that have them. */
const TEXT_MEMBERS = [
  'text', // text, code, execution_output, tether_quote, system_error, sonic_webpage
  'result', // tether_browsing_display
  'summary', // tether_browsing_display
  'user_profile', // user_editable_context
  'user_instructions', // user_editable_context
  'model_set_context', // model_editable_context
  'output_str', // citable_code_output
];

export interface ReadContent {
  parts: MessagePart[];
  /** Members of the content that the parts do not carry unchanged. */
  rest: unknown;
}

type Attachments = ReadonlyMap<string, JsonObject>;

/**
 * Parts of type text, reasoning and file, and data-<content type> for other content. An empty text gives no part.
 * @param content the `content` of a message, of any shape
 * @param attachments the message's files by their ids
 */
export function readContent(content: unknown, attachments: Attachments): ReadContent {
  if (typeof content === 'string') return { parts: textParts(content), rest: content === '' ? content : undefined };
  if (!isJsonObject(content)) return { parts: [], rest: content };
  const type = contentType(content);
  if (type === 'thoughts') return { parts: thoughts(content['thoughts']), rest: content };
  if (type === 'reasoning_recap') return { parts: reasoningParts(content['content']), rest: content };
  if (Array.isArray(content['parts'])) return readParts(content, content['parts'], attachments);

  const members = TEXT_MEMBERS.filter((name) => typeof content[name] === 'string');
  const parts = textParts(...members.map((name) => content[name]));
  // Empty texts have no content; the other members may have some.
  if (members.length === 0 || (parts.length === 0 && holdsMore(content)))
    return { parts: [dataPart(type, content)], rest: { content_type: content['content_type'] } };
  const [only] = members;
  return { parts, rest: members.length === 1 && parts.length === 1 && only ? without(content, only) : content };
}

function readParts(content: JsonObject, original: unknown[], attachments: Attachments): ReadContent {
  const parts = original.flatMap((part) => readPart(part, attachments));
  // With as many non-empty texts as parts, the original is restored from the parts.
  const isCarried = original.length > 0 && original.every((part) => typeof part === 'string' && part !== '');
  return { parts, rest: isCarried ? without(content, 'parts') : content };
}

function readPart(part: unknown, attachments: Attachments): MessagePart[] {
  if (typeof part === 'string') return textParts(part);
  if (!isJsonObject(part)) return part === null ? [] : [dataPart('unknown', part)];
  const type = contentType(part);
  // A transcript of speech.
  if ((type === 'audio_transcription' || type === 'text') && typeof part['text'] === 'string') {
    return textParts(part['text']);
  }
  if (type === 'image_asset_pointer') return [imagePart(part, attachments)];
  return [dataPart(type, part)];
}

/** Members that describe the text in another member. */
const ABOUT_TEXT = new Set(['content_type', 'language', 'response_format_name']);

function holdsMore(content: JsonObject): boolean {
  return Object.entries(content).some(([name, value]) => {
    return !ABOUT_TEXT.has(name) && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
  });
}

function thoughts(list: unknown): MessagePart[] {
  if (!Array.isArray(list)) return reasoningParts(list);
  return list.flatMap((thought: unknown) => {
    if (typeof thought === 'string') return reasoningParts(thought);
    return isJsonObject(thought) ? reasoningParts(thought['summary'], thought['content']) : [];
  });
}

function contentType(content: JsonObject): string {
  const type = content['content_type'];
  return typeof type === 'string' && type !== '' ? type : 'unknown';
}
