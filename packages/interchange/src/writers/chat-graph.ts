/** The links between the messages of a chat. Only ids are in memory for the whole chat. */
import type { WrittenMessage, WrittenChat } from '../writers/written-chat.js';
import type { Paths } from './writer.js';

export interface ChatGraph {
  readonly parents: ReadonlyMap<string, string | null>;
  /** In the order of saving. */
  children(id: string): readonly string[];
  readonly roots: readonly string[];
  /** The head of the active branch; null for an empty branch. */
  readonly active: string | null;
}

/** @param isWritten whether a message is in the graph; the replies to others are linked to the nearest ancestor in it */
export async function chatGraph(
  chat: WrittenChat,
  isWritten: (message: WrittenMessage) => boolean = () => true,
): Promise<ChatGraph> {
  const parents = new Map<string, string | null>();
  const children = new Map<string, string[]>();
  const roots: string[] = [];
  const replaced = new Map<string, string | null>();
  const nearest = (id: string | null) => (id === null ? null : (replaced.get(id) ?? (replaced.has(id) ? null : id)));
  for await (const rows of chat.messages()) {
    for (const message of rows) {
      const { id } = message;
      const parentId = nearest(message.parentId);
      if (!isWritten(message)) {
        replaced.set(id, parentId);
        continue;
      }
      parents.set(id, parentId);
      if (parentId === null) roots.push(id);
      else if (children.has(parentId)) children.get(parentId)?.push(id);
      else children.set(parentId, [id]);
    }
  }
  const active = nearest(chat.branches.find(({ isActive }) => isActive)?.headMessageId ?? null);
  return { parents, roots, active, children: (id) => children.get(id) ?? [] };
}

/** The name and the last message of a path from a root. */
export interface ChatPath {
  name: string;
  lastId: string;
}

export function pathsOf(chat: WrittenChat, graph: ChatGraph, paths: Paths): ChatPath[] {
  if (paths === 'checkpoints') return chat.checkpoints.map(({ name, messageId }) => ({ name, lastId: messageId }));
  if (paths === 'leaves') {
    const names = new Map(chat.branches.toReversed().map(({ headMessageId, name }) => [headMessageId, name]));
    return [...graph.parents.keys()]
      .filter((id) => graph.children(id).length === 0)
      .map((lastId) => ({ name: names.get(lastId) ?? lastId, lastId }));
  }
  const name = chat.branches.find(({ isActive }) => isActive)?.name ?? 'main';
  return graph.active === null ? [] : [{ name, lastId: graph.active }];
}

/** The messages of a path, root first: parents are saved before their replies. */
export async function* messagesOn(
  chat: WrittenChat,
  { parents }: ChatGraph,
  { lastId }: ChatPath,
): AsyncGenerator<WrittenMessage> {
  const ids = new Set<string>();
  // The parents of a damaged chat can form a cycle.
  for (let id: string | null = lastId; id !== null && !ids.has(id); id = parents.get(id) ?? null) ids.add(id);
  for await (const rows of chat.messages()) {
    for (const message of rows) if (ids.delete(message.id)) yield message;
    if (ids.size === 0) return;
  }
}
