/** A system prompt beside the messages, which the model read before them. */
import type { SourceNode } from '../../source-conversation.js';
import { blockParts } from './blocks.js';
import { arrayOf, objectOf, textOf } from './members.js';
import { textParts } from './parts.js';

/** Members that hold it, in the APIs of models and in data sets. */
const NAMES = [
  ...['system', 'systemPrompt', 'system_prompt', 'systemInstruction', 'system_instruction'],
  ...['systemMessage', 'system_message', 'instructions', 'preprompt', 'base_instructions'],
];

/** The member with a system prompt; undefined without one. */
export function systemMember(value: Readonly<Record<string, unknown>>): string | undefined {
  return NAMES.find((name) => promptParts(value[name]).length > 0);
}

/** A text, blocks, or an object with a text or parts. */
function promptParts(prompt: unknown) {
  if (Array.isArray(prompt)) return blockParts(prompt);
  const { text, parts } = objectOf(prompt);
  const texts = [prompt, text, ...arrayOf(parts).map((part) => objectOf(part)['text'])].flatMap(
    (each) => textOf(each) ?? [],
  );
  return texts.length === 0 ? [] : textParts(texts.join('\n\n'));
}

/**
 * The nodes below a node with the prompt; the same nodes if there is none, or they begin with a system prompt.
 * @param id of the node with the prompt
 */
export function belowSystemPrompt(nodes: readonly SourceNode[], prompt: unknown, id: string): readonly SourceNode[] {
  const parts = promptParts(prompt);
  const [first] = nodes;
  if (parts.length === 0 || first === undefined || first.content().role === 'system') return nodes;
  while (nodes.some((node) => node.id === id)) id += '#';
  const content = () => ({ role: 'system' as const, parts: promptParts(prompt), original: {}, fingerprinted: prompt });
  return [
    { id, parentId: null, createdAt: null, content },
    ...nodes.map((node) => (node.parentId === null ? { ...node, parentId: id } : node)),
  ];
}
