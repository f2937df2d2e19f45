/** The data of the graph. */
import type { Parley } from '@parley/client';
import {
  ReadNodes,
  ReadOutline,
  ReadRun,
  type ReadNodesQuery,
  type ReadOutlineQuery,
} from '../generated/operations.js';

export type Outline = NonNullable<ReadOutlineQuery['chat']>['outline'];

export type Segment = Omit<Outline['segments'][number], 'sourceIds'> & {
  /** The messages that its first message draws on besides its parent; absent for none. */
  sourceIds?: readonly string[];
  /** Messages of a collapsed branch. */
  collapsedCount?: number;
};

/** A message between the ends of a segment. */
export type Inner = NonNullable<ReadNodesQuery['chat']>['graph']['nodes'][number];

/** Graphs up to this number of messages are read with all messages. */
const SMALL_GRAPH_MESSAGES = 1_000;

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

/** The number of messages of a run that are read at once. */
const RUN_MESSAGES = 100;

/** Reads the last messages of a long run. */
export async function readRun(parley: Parley, { lastId, length }: Segment, signal: AbortSignal): Promise<Inner[]> {
  const { message } = await parley.run(ReadRun, { messageId: lastId, last: Math.min(length, RUN_MESSAGES) }, signal);
  return (message?.path.edges ?? []).map(({ node }) => node);
}
