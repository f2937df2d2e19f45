/** Reads of a chat's whole graph, as nodes or as segments. */
import { newestMerges } from '../messages/source-messages.js';
import { toPathLength } from '../store/asked-options.js';
import {
  toBranchInfo,
  toCheckpointInfo,
  type GraphData,
  type MessageData,
  type SourcePathData,
} from '../store/store-data.js';
import { GET_GRAPH, GET_MERGES, GET_SOURCE_PATHS } from './operations.js';
import {
  toBranchData,
  toCheckpointData,
  toGraphNode,
  toMessageData,
  type BranchRow,
  type CheckpointRow,
  type GraphNodeRow,
  type MessageRow,
} from './rows.js';
import type { ServerCalls } from './server-calls.js';

/** See ContextStore.getGraph. */
export async function getGraph(calls: ServerCalls, chatId: string): Promise<GraphData> {
  type Found = { graph: { nodes: GraphNodeRow[]; branches: BranchRow[]; checkpoints: CheckpointRow[] } };
  const { graph } = await calls.ofChat<Found>(GET_GRAPH, { chatId });
  return {
    nodes: graph.nodes.map(toGraphNode),
    branches: graph.branches.map((branch) => toBranchInfo(toBranchData(branch, chatId))),
    checkpoints: graph.checkpoints.map((each) => toCheckpointInfo(toCheckpointData(each, chatId))),
  };
}

/** See ContextStore.getSourcePaths. A message with sources is the first one of a segment. */
export async function getSourcePaths(
  calls: ServerCalls,
  messages: readonly MessageData[],
  length: number,
): Promise<SourcePathData[]> {
  toPathLength(length);
  const [first] = messages;
  if (first === undefined) return [];
  const { chatId } = first;
  type Found = { outline: { segments: { firstId: string; sourceIds: string[] }[] } };
  const { outline } = await calls.ofChat<Found>(GET_MERGES, { chatId });
  const merged = outline.segments.filter(({ sourceIds }) => sourceIds.length > 0);
  const merges = newestMerges(messages, new Map(merged.map(({ firstId, sourceIds }) => [firstId, sourceIds])));
  const paths = merges.map(async ({ messageId }) => {
    type Sources = { sources: { id: string; chain: MessageRow[] }[] };
    const { sources } = await calls.ofMessage<Sources>(GET_SOURCE_PATHS, messageId, { length });
    return sources.map(({ id: sourceId, chain }) => ({
      messageId,
      sourceId,
      path: chain.map((message) => toMessageData(message, chatId)),
    }));
  });
  return (await Promise.all(paths)).flat();
}
