/** The parts of a UIMessage as assistant-ui shows them: texts, reasoning, tool calls with their results, files and sources. */
import type { ThreadMessageLike } from '@assistant-ui/react';
import type { Message } from '../message.js';
import { attachmentsOf, contentPartOf, filePartsOf } from './attachments.js';

/** Converts a message. Its `id`, `createdAt` and `status` are set by the caller. */
export type ToMessage = (message: Message) => Pick<ThreadMessageLike, 'role' | 'content' | 'metadata' | 'attachments'>;

type ContentPart = Exclude<ThreadMessageLike['content'], string>[number];

/** The members of the parts of UIMessages. */
interface UIPart {
  type: string;
  text?: string;
  toolCallId?: string;
  toolName?: string;
  input?: unknown;
  rawInput?: unknown;
  output?: unknown;
  errorText?: string;
  sourceId?: string;
  url?: string;
  title?: string;
}

/** A message with its data, or its text when the data is no UIMessage. */
export const withParts: ToMessage = ({ name, text, data }) => {
  const role = name === 'user' || name === 'system' ? name : 'assistant';
  const plain = [{ type: 'text', text }] as const;
  if (role === 'user') return { role, content: plain, attachments: attachmentsOf(data) };
  const { parts } = (data ?? {}) as { parts?: unknown };
  const isWhole = role === 'assistant' && Array.isArray(parts);
  return { role, content: isWhole ? parts.filter(isPart).flatMap(contentPartsOf) : plain };
};

/** Stored data has any shape. */
const isPart = (part: unknown): part is UIPart => typeof (part as UIPart | null)?.type === 'string';

function contentPartsOf(part: UIPart): ContentPart[] {
  const { type, text = '', toolCallId, toolName = type.replace(/^tool-/, ''), errorText } = part;
  if (type === 'text' || type === 'reasoning') return [{ type, text }];
  if (type === 'file') return filePartsOf({ parts: [part] }).map(contentPartOf);
  if (type === 'source-url') {
    const { sourceId: id = '', url = '', title } = part;
    return [{ type: 'source', sourceType: 'url', id, url, ...(title !== undefined && { title }) }];
  }
  if (toolCallId === undefined) return [];
  const { input = part.rawInput ?? {}, output = errorText } = part;
  const result = output === undefined ? {} : { result: output, isError: errorText !== undefined };
  return [{ type: 'tool-call', toolCallId, toolName, argsText: JSON.stringify(input), ...result }];
}
