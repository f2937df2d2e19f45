/** The data of the graph. */
import { operation, type Parley } from '@parley/client';

export interface Segment {
  firstId: string;
  lastId: string;
  parentId: string | null;
  length: number;
  /** Depth of its first message. */
  depth: number;
  firstRole: string;
  firstContent: string;
  lastRole: string;
  lastContent: string;
  /** The messages that its first message draws on besides its parent; absent for none. */
  sourceIds?: readonly string[];
  /** Of a collapsed branch: the number of its messages. */
  collapsedCount?: number;
}

/** A message between the ends of a segment. */
export interface Inner {
  id: string;
  parentId: string | null;
  depth: number;
  role: string;
  content: string;
}

export interface Outline {
  messageCount: number;
  segments: Segment[];
}

export const ReadOutline = operation<{ chat: { outline: Outline } | null }, { chatId: string }>(`
  query ReadOutline($chatId: ID!) {
    chat(id: $chatId) {
      outline {
        messageCount
        segments {
          firstId
          lastId
          parentId
          length
          depth
          firstRole
          firstContent
          lastRole
          lastContent
          sourceIds
        }
      }
    }
  }
`);

/** Graphs up to this number of messages are read with all messages. */
const SMALL_GRAPH_MESSAGES = 1_000;

const ReadNodes = operation<{ chat: { graph: { nodes: Inner[] } } | null }, { chatId: string }>(
  'query ReadNodes($chatId: ID!) { chat(id: $chatId) { graph { nodes { id parentId depth role content } } } }',
);

/** Reads an outline and, of a small graph, all its messages. */
export async function readGraph(
  parley: Parley,
  chatId: string,
  signal: AbortSignal,
): Promise<{ outline: Outline; nodes: readonly Inner[] } | null> {
  const outline = (await parley.run(ReadOutline, { chatId }, signal)).chat?.outline;
  if (outline === undefined) return null;
  const isSmall = outline.messageCount <= SMALL_GRAPH_MESSAGES && outline.segments.some(({ length }) => length > 2);
  const nodes = isSmall ? (await parley.run(ReadNodes, { chatId }, signal)).chat?.graph.nodes : [];
  return { outline, nodes: nodes ?? [] };
}

const ReadRun = operation<
  {
    message: {
      path: { edges: { node: Omit<Inner, 'role' | 'content'> & { name: string; preview: string } }[] };
    } | null;
  },
  { messageId: string; last: number }
>(`query ReadRun($messageId: ID!, $last: Int!) {
  message(id: $messageId) { path(last: $last) { edges { node { id parentId depth name preview(length: 50) } } } }
}`);

/** The number of messages of a run that are read at once. */
const RUN_MESSAGES = 100;

/** Reads the last messages of a long run. */
export async function readRun(parley: Parley, { lastId, length }: Segment, signal: AbortSignal): Promise<Inner[]> {
  const { message } = await parley.run(ReadRun, { messageId: lastId, last: Math.min(length, RUN_MESSAGES) }, signal);
  return (message?.path.edges ?? []).map(({ node: { name, preview, ...rest } }) => ({
    ...rest,
    role: name,
    content: preview,
  }));
}
