/** Converts a tree to a chat for writers, with the ids, branches and log that an import into a server creates. */
import { v5 } from 'uuid';
import type { SourceConversation } from '../source-conversation.js';
import type { WrittenBranch, WrittenChat, WrittenEvent, WrittenMessage } from '../writers/written-chat.js';
import { chatTitle } from './chat-title.js';
import { importedChatId, importedMessageId } from './import-ids.js';
import { messageData } from './message-data.js';
import { nodeTimes } from './node-times.js';
import { MAX_DATA_BYTES, MAX_JSON_DEPTH } from '../limits.js';

/** Messages whose data is in memory at once. */
const MESSAGES_PER_STEP = 100;

/** The members of a conversation that writers use: a tree that was read, or your own. */
export type WritableTree = Pick<
  SourceConversation,
  'source' | 'conversationId' | 'title' | 'createdAt' | 'updatedAt' | 'nodes' | 'activeNode'
>;

/** @param userId the owner and author of all events */
export function treeChat(tree: WritableTree, userId: string): WrittenChat {
  const { source, conversationId, nodes, activeNode } = tree;
  const times = nodeTimes(tree);
  const createdAt = tree.createdAt ?? times.oldest ?? Date.now();
  const updatedAt = Math.max(createdAt, tree.updatedAt ?? times.newest ?? createdAt);
  const id = importedChatId(userId, source, conversationId);
  const idOf = (nodeId: string) => importedMessageId(id, nodeId);
  const { branches, events } = historyOf(tree, { chatId: id, idOf, userId, time: updatedAt });
  const metadata = JSON.stringify({ import: { source, conversationId, activeNode } });
  return {
    chat: { id, userId, title: chatTitle(tree.title), metadata, createdAt, updatedAt, version: events.length },
    messageCount: nodes.length,
    branches,
    checkpoints: [],
    async *messages() {
      for (let start = 0; start < nodes.length; start += MESSAGES_PER_STEP) {
        yield nodes.slice(start, start + MESSAGES_PER_STEP).map((node, n): WrittenMessage => {
          const messageId = idOf(node.id);
          const content = node.content();
          return {
            id: messageId,
            parentId: node.parentId === null ? null : idOf(node.parentId),
            name: content.role,
            type: 'message',
            data: messageData({ id: messageId, nodeId: node.id, content, source }, checkedJson).data,
            createdAt: times.each[start + n] ?? createdAt,
            createdBy: userId,
          };
        });
      }
    },
    async *events() {
      yield events;
    },
  };
}

interface Context {
  chatId: string;
  idOf: (nodeId: string) => string;
  userId: string;
  time: number;
}

/** Depth first, the messages up to each leaf are consecutive: each run moves one branch, and `main` ends at the active node. */
function historyOf({ nodes, activeNode }: WritableTree, { chatId, idOf, userId, time }: Context) {
  const branches: WrittenBranch[] = [];
  const events: WrittenEvent[] = [];
  const log = (type: string, payload: object) => {
    events.push({ seq: events.length + 1, type, actorId: userId, createdAt: time, payload: JSON.stringify(payload) });
  };
  const create = (name: string, headId: string | null): string => {
    const branchId = v5(JSON.stringify(['branch', name]), chatId);
    log('BranchCreated', { branchId, headId });
    branches.push({
      id: branchId,
      name,
      headMessageId: headId,
      isActive: name === 'main',
      createdAt: time,
      seq: events.length,
    });
    return branchId;
  };
  log('ChatCreated', {});
  const main = create('main', null);
  log('BranchActivated', { branchId: main });
  let first = 0;
  for (const [n, node] of nodes.entries()) {
    const isEnd = nodes[n + 1]?.parentId !== node.id || node.id === activeNode;
    if (!isEnd) continue;
    const isMain = node.id === activeNode;
    const above = nodes[first]?.parentId ?? null;
    const start = isMain || above === null ? null : idOf(above);
    const branchId = isMain ? main : create(`main-v${branches.length + 1}`, start);
    const headId = idOf(node.id);
    log('BranchHeadMoved', { branchId, previousHeadId: start, headId, firstSeq: first + 1, lastSeq: n + 1 });
    const at = branches.findIndex(({ id }) => id === branchId);
    branches[at] = { ...(branches[at] as WrittenBranch), headMessageId: headId };
    first = n + 1;
  }
  return { branches, events };
}

/** @returns the JSON text of a message, or the limit that it exceeds */
function checkedJson(value: unknown): string | { fault: string } {
  if (isDeeper(value, MAX_JSON_DEPTH)) return { fault: `it must not nest deeper than ${MAX_JSON_DEPTH} levels` };
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_DATA_BYTES) return text;
  return { fault: `it must have at most ${MAX_DATA_BYTES} bytes as JSON, not ${bytes}` };
}

/** Without recursion: the value may be nested deeper than the stack allows. */
function isDeeper(root: unknown, levels: number): boolean {
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at.value !== 'object' || at.value === null) continue;
    if (at.depth === levels) return true;
    for (const value of Object.values(at.value)) open.push({ value, depth: at.depth + 1 });
  }
  return false;
}
