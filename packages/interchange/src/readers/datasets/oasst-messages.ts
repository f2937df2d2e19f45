/** OpenAssistant's message lists: an object per message, in any order, of any number of trees. */
import type { JsonObject } from '../../json-object.js';
import { UnreadableError } from '../../files/unreadable.js';
import type { LinesReader } from '../reader.js';
import type { FoundSource } from '../../source-conversation.js';
import { foundConversation } from '../shared/conversation.js';
import { idOf, without, withoutNull } from '../shared/members.js';
import { SourceGraph } from '../shared/source-graph.js';
import { isoToMs } from '../shared/times.js';
import { oasstContent } from './oasst-message.js';
import { byRank, firstLeaf } from './oasst-trees.js';

export const oasstMessages: LinesReader = {
  name: 'oasst-messages',
  label: 'OASST messages',
  claims: (value) =>
    'message_tree_id' in value && 'message_id' in value && !('prompt' in value) && !('replies' in value),
  continues: () => false,
  keyOf: (value) => idOf(value['message_tree_id']),
  readAll: (values) => [readTree(values)],
};

function readTree(messages: readonly JsonObject[]): FoundSource {
  const treeId = idOf(messages[0]?.['message_tree_id']);
  if (treeId === null) throw new UnreadableError('message_tree_id is not an id');
  const graph = new SourceGraph();
  // Siblings are in the order of the nodes.
  for (const value of byRank(messages) as JsonObject[]) {
    graph.add({
      id: value['message_id'],
      parent: value['parent_id'],
      createdAt: isoToMs(value['created_date']),
      content: () => oasstContent(without(value, 'message_id', 'parent_id', 'message_tree_id', 'tree_state')),
    });
  }
  const [first] = messages;
  const { tree_state: treeState, lang } = first ?? {};
  const conversation = foundConversation({
    // The same source as trees, so that both forms of a tree are one chat.
    source: 'oasst',
    id: treeId,
    title: null,
    graph,
    details: withoutNull({ treeState, lang }),
    original: {},
  });
  return { ...conversation, activeNode: firstLeaf(conversation.nodes) };
}
