/** Chats of LM Studio (`.conversation.json`): a list of messages, each with versions, which become siblings. */
import type { JsonObject } from '../../file-values.js';
import type { ValueReader, MessagePart, NodeContent, FoundSource } from '../../source-conversation.js';
import { blockParts } from '../shared/blocks.js';
import { roleOf } from '../shared/chat-message.js';
import { foundConversation, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, contentId, idOf, objectOf, textOf, without } from '../shared/members.js';
import { callPart, dataPart, reasoningParts, textParts, toolInput, toolPart, type ToolCall } from '../shared/parts.js';

export const lmStudio: ValueReader = {
  name: 'lm-studio',
  label: 'LM Studio',
  claims: ({ messages }) => Array.isArray(messages) && Array.isArray(objectOf(messages[0])['versions']),
  read: (value) => [readChat(value)],
};

function readChat(chat: JsonObject): FoundSource {
  const { name, createdAt, messages, systemPrompt, ...original } = chat;
  const list = arrayOf(messages).map(objectOf);
  // The time of its creation is the file's name, which identifies it.
  const timed = contentId([createdAt ?? null, arrayOf(list[0]?.['versions'])[0] ?? null]);
  const graph = new SourceGraph();
  let previous: string | null = null;
  for (const [n, { versions, currentlySelected }] of list.entries()) {
    const above: string | null = previous;
    for (const [k, version] of arrayOf(versions).map(objectOf).entries()) {
      const node = { id: `${n + 1}.${k}`, parent: above, createdAt: null, content: () => contentOf(version) };
      const added = graph.add(node);
      if (k === 0 || k === currentlySelected) previous = added;
    }
  }
  return foundConversation({
    source: 'lm-studio',
    id: createdAt == null ? null : timed,
    formerId: timed,
    system: systemPrompt,
    title: name,
    createTime: createdAt,
    graph,
    active: previous,
    details: { model: objectOf(chat['lastUsedModel'])['identifier'] },
    original,
  });
}

function contentOf(version: JsonObject): NodeContent {
  const { role, content, steps } = version;
  const parts = Array.isArray(steps) ? stepParts(steps.map(objectOf)) : contentParts(content, new Map());
  return {
    role: roleOf(role),
    parts,
    original: without(version, 'role', 'content'),
    fingerprinted: steps ?? content ?? null,
  };
}

function stepParts(steps: readonly JsonObject[]): MessagePart[] {
  const blocks = steps.filter(({ type }) => type === 'contentBlock');
  const content = blocks.flatMap((step) => arrayOf(step['content']).map(objectOf));
  const results = new Map(
    content.filter(({ type }) => type === 'toolCallResult').map((block) => [callIdOf(block), block] as const),
  );
  return blocks.flatMap((step) => {
    const parts = contentParts(step['content'], results);
    if (objectOf(step['style'])['type'] !== 'thinking') return parts;
    return parts.flatMap((part) => (part.type === 'text' ? reasoningParts(part['text']) : [part]));
  });
}

/** @param results results of calls, by the ids of the calls */
function contentParts(content: unknown, results: ReadonlyMap<string, JsonObject>): MessagePart[] {
  if (!Array.isArray(content)) return textParts(content);
  return content.map(objectOf).flatMap((block) => {
    if (block['type'] === 'toolCallRequest') {
      const result = results.get(callIdOf(block));
      const call = callOf(block);
      return [result === undefined ? callPart(call) : toolPart(call, { output: outputOf(result['content']) })];
    }
    if (block['type'] === 'toolCallResult') return [];
    return block['type'] === 'file' ? [dataPart('file', block)] : blockParts([block]);
  });
}

function callIdOf(block: JsonObject): string {
  return idOf(block['toolCallRequestId'], block['toolCallId'], block['callId']) ?? 'call';
}

function callOf(block: JsonObject): ToolCall {
  const { name, parameters, arguments: args } = block;
  return { id: callIdOf(block), name: textOf(name) ?? 'tool', input: toolInput(parameters ?? args) };
}

/** A result is a text, or JSON of a list of texts. */
function outputOf(content: unknown): unknown {
  const value = toolInput(content);
  const texts = arrayOf(value).map((each) => objectOf(each)['text']);
  return texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts.join('\n\n') : value;
}
