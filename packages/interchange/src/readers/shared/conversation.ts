/** A conversation of what a reader has found of it. */
import type { JsonObject } from '../../json-object.js';
import type { SourceConversation } from '../source-conversation.js';
import { objectOf, textOf, withoutNull } from './members.js';
import type { SourceGraph } from './source-graph.js';
import { anyToMs } from './times.js';

export interface FoundConversation {
  readonly source: string;
  readonly id: string;
  readonly title: unknown;
  readonly createTime?: unknown;
  readonly updateTime?: unknown;
  readonly graph: SourceGraph;
  /** The node at which it stands, as the file has it. */
  readonly active?: unknown;
  /** The member that has it: a warning says so when it leads nowhere. Null where the format has none. */
  readonly activeMember?: string | null;
  readonly details?: JsonObject;
  /** What else the file says of it. */
  readonly original: JsonObject;
  readonly warnings?: readonly string[];
}

/** @throws UnreadableError when a message is its own ancestor */
export function foundConversation(found: FoundConversation): SourceConversation {
  const { createTime, updateTime, graph } = found;
  const arranged = graph.arranged(found.active, found.activeMember ?? null);
  return {
    source: found.source,
    conversationId: found.id,
    title: textOf(found.title),
    createdAt: anyToMs(createTime),
    updatedAt: anyToMs(updateTime),
    createTime,
    updateTime,
    ...arranged,
    details: withoutNull(objectOf(found.details)),
    original: withoutNull(found.original),
    warnings: [...graph.warnings, ...(found.warnings ?? [])],
  };
}

const TITLE_LENGTH = 100;

/** What a conversation without a title is called by: the first line of what was asked first. */
export function titleFrom(question: string): string {
  return Array.from(question.trim().split('\n', 1)[0] ?? '')
    .slice(0, TITLE_LENGTH)
    .join('');
}
