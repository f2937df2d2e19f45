/** The interface of a format's writer. */
import type { WrittenChat, WrittenMessage } from './written-chat.js';

/** The paths of a chat to write in a format that holds one path at a time. */
export const PATHS = ['active', 'leaves', 'checkpoints'] as const;
export type Paths = (typeof PATHS)[number];

export interface WriterOptions {
  paths: Paths;
}

export interface Writer {
  /** For `--format`. */
  readonly name: string;
  /** The name in reports. */
  readonly label: string;
  /** The extension of the file, without a dot. */
  readonly extension: string;
  readonly mediaType: string;
  /** The name of the file in a zip; null if each chat has its own file. */
  readonly fileName: string | null;
  /** The data that the format cannot hold, in words. */
  readonly losses: readonly string[];
  /** The text before, between and after the chats of a file. */
  readonly frame: { readonly before: string; readonly between: string; readonly after: string };
  /** Whether a chat in its own file is written without the frame, for programs that read one chat. @default false */
  readonly isBareAlone?: boolean;
  /**
   * Text that marks the chat or the file before it as incomplete, for a reason. Formats without it cannot continue after a
   * chat that is cut off.
   */
  readonly incomplete?: (reason: string) => string;
  /**
   * Writes a chat in chunks of text.
   * @returns where paths are written, how many messages are on them; nothing where all messages are written
   */
  write(chat: WrittenChat, options: WriterOptions): AsyncGenerator<string, unknown>;
}

/** Marks JSON Lines as incomplete. */
export const incompleteLine = (reason: string): string => `${JSON.stringify({ incomplete: reason })}\n`;

/** The frame of formats with lines for each chat. */
export const LINES = { before: '', between: '', after: '' };
/** The frame of formats with an array of all chats. */
export const ARRAY = { before: '[\n', between: ',\n', after: '\n]\n' };

/** The links between the messages of a chat. Only ids are in memory for the whole chat. */
interface ChatGraph {
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
interface ChatPath {
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
