/** Reads a file as trees, without a database. */
import { readConversations } from '@parley/interchange';

export interface ReadTree {
  id: string;
  source: string;
  title: string | null;
  /** Texts from the root to the active message. */
  main: string[];
  /** Texts from the root to each other leaf. */
  others: string[][];
  /** The time of each message in the order of the tree; null for none. */
  times: (string | null)[];
}

/** @param content bytes, a text, or a value to write as JSON */
export async function readTrees(content: unknown) {
  const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(isRaw ? content : JSON.stringify(content));
  const reading = readConversations(bytes);
  const trees: ReadTree[] = [];
  for await (const { conversationId, source, title, nodes, activeNode } of reading) {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const path = (id: string | null): string[] => {
      const node = byId.get(id ?? '');
      return node === undefined ? [] : [...path(node.parentId), textsOf(node.content().parts)];
    };
    const parents = new Set(nodes.map(({ parentId }) => parentId));
    const leaves = nodes.filter(({ id }) => !parents.has(id) && id !== activeNode);
    trees.push({
      id: conversationId,
      source,
      title,
      main: path(activeNode),
      others: leaves.map(({ id }) => path(id)),
      times: nodes.map(({ createdAt }) => (createdAt === null ? null : new Date(createdAt).toISOString())),
    });
  }
  const { warnings, failures } = reading.report;
  return { trees, warnings: warnings.kept, failures: failures.kept };
}

function textsOf(parts: readonly Readonly<Record<string, unknown>>[]): string {
  return parts.map((part) => (typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part))).join(' | ');
}
