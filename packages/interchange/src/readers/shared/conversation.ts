/** Builds a conversation from the members that a reader found. */
import type { JsonObject } from '../../json-object.js';
import type { FoundSource, SourceNode } from '../../source-conversation.js';
import { objectOf, textOf, withoutNull } from './members.js';
import type { SourceGraph } from './source-graph.js';
import { belowSystemPrompt } from './system-prompt.js';
import { anyToMs } from './times.js';

export interface FoundConversation {
  readonly source: string;
  /** The id in the file; null without one. */
  readonly id: string | null;
  /** See SourceConversation. */
  readonly formerId?: string | null;
  readonly title: unknown;
  readonly createTime?: unknown;
  readonly updateTime?: unknown;
  readonly graph: SourceGraph;
  /** The active node, as the file has it. */
  readonly active?: unknown;
  /**
   * The member that names the active node, for a warning when it is missing or invalid. Null for formats without one.
   */
  readonly activeMember?: string | null;
  readonly details?: JsonObject;
  /** The system prompt beside the messages: a text, blocks, or an object with a text or parts. It becomes the first message. */
  readonly system?: unknown;
  /** The node of the system prompt. @default 'system' */
  readonly systemId?: string;
  /** Whether the messages that are not on the active path were undone. A warning counts them. */
  readonly isUndone?: boolean;
  /** Other members of the conversation. */
  readonly original: JsonObject;
  readonly warnings?: readonly string[];
}

export function foundConversation(found: FoundConversation): FoundSource {
  const { createTime, updateTime, graph } = found;
  const { nodes, activeNode } = graph.arranged(found.active, found.activeMember ?? null);
  return {
    source: found.source,
    conversationId: found.id,
    ...(found.id === null && { formerId: found.formerId ?? null }),
    title: textOf(found.title),
    createdAt: anyToMs(createTime),
    updatedAt: anyToMs(updateTime),
    createTime,
    updateTime,
    nodes: belowSystemPrompt(nodes, found.system, found.systemId ?? 'system'),
    activeNode,
    details: withoutNull(objectOf(found.details)),
    original: withoutNull(found.original),
    warnings: [
      ...graph.warnings,
      ...(found.isUndone === true ? undoneWarning(nodes, activeNode) : []),
      ...(found.warnings ?? []),
    ],
  };
}

/** The warning that counts messages that are not on the active path. */
export function besideMain(count: number, reason: string): string {
  return `messages beside main, because ${reason}: ${count}`;
}

function undoneWarning(nodes: readonly SourceNode[], activeNode: string | null): string[] {
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
  let count = nodes.length;
  for (let at = activeNode; at !== null; at = parents.get(at) ?? null) count--;
  return count > 0 ? [besideMain(count, 'they were undone')] : [];
}

const TITLE_LENGTH = 100;

/** The title of a conversation without one: the first line of its first text by the user. */
export function titleFromFirstUser<Message extends JsonObject>(
  messages: readonly Message[],
  textOfMessage: (message: Message) => unknown,
): string {
  const first = messages.find(({ role }) => role === 'user');
  return titleFrom(first === undefined ? '' : (textOf(textOfMessage(first)) ?? ''));
}

/** The first line of a question. */
export function titleFrom(question: string): string {
  return Array.from(question.trim().split('\n', 1)[0] ?? '')
    .slice(0, TITLE_LENGTH)
    .join('');
}
