/** A ChatGPT message as a UI message: tool calls, results, and text. */
import type { JsonObject } from '../../json-object.js';
import { objectOf, textOf } from '../shared/members.js';
import { callPart, dataPart, sourceParts, toolInput, toolPart } from '../shared/parts.js';
import type { MessagePart, NodeContent, Role } from '../../source-conversation.js';
import { citedText } from './citations.js';
import { readContent } from './content.js';
import { attachedParts, attachmentsOf } from './images.js';

/** The message of a node; an empty object without one. */
export type MessageAt = (id: string) => JsonObject;

/** @param call the message that may have called the tool of this result */
export function messageContent(
  id: string,
  message: JsonObject,
  role: Role,
  call: { id: string; message: JsonObject } | null,
): NodeContent {
  const { content, create_time: createTime, id: ownId, ...others } = message;
  const metadata = objectOf(others['metadata']);
  const author = objectOf(others['author']);
  const attachments = attachmentsOf(metadata);
  const read = readContent(content, attachments);
  const recipient = textOf(others['recipient']) ?? 'all';
  let { parts, rest } = read;
  if (author['role'] === 'tool' || author['role'] === 'function' || isOutput(content, call)) {
    parts = resultParts(id, read.parts, content, textOf(author['name']), call);
    rest = content;
  } else if (role === 'assistant' && recipient !== 'all') {
    parts = [
      callPart({ id, name: recipient, input: toolInput(textIn(read.parts) ?? content) }),
      ...read.parts.filter((part) => part.type !== 'text'),
    ];
    rest = content;
  } else {
    const cited = citedText(parts, metadata);
    if (cited !== null) {
      parts = cited;
      rest = content;
    }
  }
  if (parts.length === 0) parts = [...attachments.values()].map((each) => dataPart('attachment', each));
  return {
    role,
    parts,
    attached: attachedParts(content, metadata, attachments, parts),
    createTime: createTime ?? undefined,
    hidden: metadata['is_visually_hidden_from_conversation'] === true,
    original: {
      ...(ownId === undefined || ownId === id ? {} : { id: ownId }),
      ...(rest === undefined ? {} : { content: rest }),
      ...others,
    },
    fingerprinted: content,
  };
}

/** Old exports give the role of code output to the assistant. */
function isOutput(content: unknown, call: object | null): boolean {
  return call !== null && objectOf(content)['content_type'] === 'execution_output';
}

/** A call and its result as one part, followed by images. */
function resultParts(
  id: string,
  parts: readonly MessagePart[],
  content: unknown,
  tool: string | null,
  call: { id: string; message: JsonObject } | null,
): MessagePart[] {
  const called = call === null ? {} : callOf(call.message);
  const name = tool ?? textOf(call?.message['recipient']) ?? 'tool';
  const failed = objectOf(content)['content_type'] === 'system_error';
  const text = textIn(parts);
  const isPlain = parts.every((part) => part.type === 'text' || part.type === 'file');
  const output = isPlain && text !== null ? text : content;
  const result = failed && text !== null ? { error: text } : { output };
  const { url, title } = objectOf(content);
  return [
    toolPart({ id, name, input: called }, result),
    ...parts.filter((part) => part.type === 'file'),
    ...sourceParts(url, title),
  ];
}

function callOf(message: JsonObject): unknown {
  const { parts } = readContent(message['content'], new Map());
  return toolInput(textIn(parts) ?? message['content']);
}

function textIn(parts: readonly MessagePart[]): string | null {
  const texts = parts.filter((part) => part.type === 'text').map((part) => String(part['text']));
  return texts.length === 0 ? null : texts.join('\n\n');
}
