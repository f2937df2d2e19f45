/** A complete chat, read from a server to compare it with acknowledgements. */
import { expect } from 'vitest';
import { graphql } from '../generated/graphql/gql.js';
import type { HttpClient } from '../support/server/http-client.js';
import { eventsOf } from './event-log.js';

const WholeConversation = graphql(`
  query WholeConversation($id: ID!) {
    chat(id: $id) {
      version
      messageCount
      activeBranch {
        name
      }
      graph {
        nodes {
          id
          parentId
          content
        }
        branches {
          name
          isActive
          head {
            id
          }
        }
        checkpoints {
          name
          message {
            id
          }
        }
      }
    }
  }
`);

export interface StoredConversation {
  version: number;
  messageIds: string[];
  texts: string[];
  /** The ids from the root to the head, by branch name. */
  chains: Map<string, string[]>;
  /** The id of the message, by checkpoint name. */
  checkpoints: Map<string, string>;
  /** The branch that was active at a version of the chat, according to its log. */
  activeAt(version: number): string | undefined;
}

/**
 * Reads a chat and checks its consistency: one active branch, no dangling references, a log that produces this state.
 */
export async function conversationOf(server: HttpClient, chatId: string): Promise<StoredConversation> {
  const { chat } = await server.run(WholeConversation, { id: chatId });
  const { nodes, branches, checkpoints } = chat!.graph;
  const events = await eventsOf(server, chatId);
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId ?? null]));
  const activeAt = (version: number) =>
    events
      .flatMap((event) =>
        event.__typename === 'BranchActivated' && event.seq <= version ? (event.branch?.name ?? []) : [],
      )
      .at(-1);

  expect(nodes).toHaveLength(chat!.messageCount);
  expect(branches.filter(({ isActive }) => isActive).map(({ name }) => name)).toEqual([chat!.activeBranch.name]);
  expect(activeAt(chat!.version)).toBe(chat!.activeBranch.name);
  const logged = events.flatMap((event) =>
    event.__typename === 'BranchHeadMoved' ? event.messages.map(({ id }) => id) : [],
  );
  expect(logged).toEqual(nodes.map(({ id }) => id));

  return {
    version: chat!.version,
    messageIds: nodes.map(({ id }) => id),
    texts: nodes.map(({ content }) => content),
    chains: new Map(branches.map(({ name, head }) => [name, chainTo(head?.id ?? null, parents)])),
    checkpoints: new Map(checkpoints.map(({ name, message }) => [name, message.id])),
    activeAt,
  };
}

function chainTo(head: string | null, parents: Map<string, string | null>): string[] {
  const chain: string[] = [];
  for (let id = head; id !== null;) {
    const parent = parents.get(id);
    if (parent === undefined) throw new Error(`Message "${id}", a head or a parent, is missing`);
    chain.unshift(id);
    id = parent;
  }
  return chain;
}
