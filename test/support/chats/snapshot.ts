/** The complete readable state of a chat, from the server. */
import { graphql } from '../../generated/graphql/gql.js';
import type { SnapshotQuery } from '../../generated/graphql/graphql.js';

export const Snapshot = graphql(`
  query Snapshot($id: ID!) {
    chat(id: $id) {
      version
      messageCount
      activeBranch {
        name
      }
      branches(first: 1000) {
        totalCount
        edges {
          node {
            name
            isActive
            messageCount
            head {
              id
            }
            chain {
              id
            }
            tail: chain(limit: 2) {
              id
            }
            messages(last: 3) {
              totalCount
              pageInfo {
                hasPreviousPage
                hasNextPage
              }
              edges {
                node {
                  id
                }
              }
            }
          }
        }
      }
      checkpoints(first: 1000) {
        totalCount
        edges {
          node {
            name
            message {
              id
            }
          }
        }
      }
      roots {
        id
      }
      latestLeaf {
        id
      }
      graph {
        nodes {
          id
          parentId
          role
          content
          depth
        }
        branches {
          name
        }
        checkpoints {
          name
        }
      }
      events(first: 1000) {
        edges {
          node {
            __typename
            seq
            ... on BranchCreated {
              branch {
                name
              }
              startId: headId
            }
            ... on BranchActivated {
              branch {
                name
              }
            }
            ... on BranchRenamed {
              branch {
                name
              }
              previousName
              name
            }
            ... on BranchDeleted {
              name
              headId
            }
            ... on BranchHeadMoved {
              branch {
                name
              }
              previousHeadId
              headId
              messages {
                ...EveryField
              }
            }
            ... on CheckpointSaved {
              name
              messageId
            }
            ... on CheckpointDeleted {
              name
            }
          }
        }
      }
    }
  }
  fragment EveryField on Message {
    id
    chat {
      id
    }
    parentId
    parent {
      id
    }
    children(first: 1000) {
      totalCount
      edges {
        node {
          id
        }
      }
    }
    name
    type
    text
    depth
    seq
    hasChildren
    chain {
      id
    }
    siblings {
      id
    }
    siblingIndex
    siblingCount
    latestLeaf {
      id
    }
    headOf {
      name
    }
    branches {
      name
    }
    checkpoints {
      name
    }
  }
`);

const ids = (nodes: readonly { id: string }[]) => nodes.map((node) => node.id);
const nameOf = ({ branch }: { branch: { name: string } | null }) => branch?.name ?? 'deleted';
export const names = (nodes: readonly { name: string }[]) => nodes.map((node) => node.name);

export function serverState({ chat }: SnapshotQuery) {
  if (chat == null) throw new Error('the chat does not exist');
  const events = chat.events.edges.map(({ node }) => node);
  const messages = events.flatMap((event) => (event.__typename === 'BranchHeadMoved' ? event.messages : []));
  return {
    version: chat.version,
    messageCount: chat.messageCount,
    active: chat.activeBranch.name,
    branchCount: chat.branches.totalCount,
    branches: chat.branches.edges.map(({ node }) => ({
      name: node.name,
      isActive: node.isActive,
      messageCount: node.messageCount,
      head: node.head?.id ?? null,
      chain: ids(node.chain),
      tail: ids(node.tail),
      page: ids(node.messages.edges.map((edge) => edge.node)),
      pageInfo: node.messages.pageInfo,
      totalCount: node.messages.totalCount,
    })),
    checkpointCount: chat.checkpoints.totalCount,
    checkpoints: chat.checkpoints.edges.map(({ node }) => ({ name: node.name, messageId: node.message.id })),
    roots: ids(chat.roots),
    latestLeaf: chat.latestLeaf?.id ?? null,
    graph: {
      nodes: chat.graph.nodes,
      branches: names(chat.graph.branches),
      checkpoints: names(chat.graph.checkpoints),
    },
    seqs: events.map((event) => event.seq),
    events: events.map((event) => {
      switch (event.__typename) {
        case 'BranchCreated':
          return `BranchCreated ${nameOf(event)} at ${event.startId ?? null}`;
        case 'BranchActivated':
          return `BranchActivated ${nameOf(event)}`;
        case 'BranchHeadMoved':
          return (
            `BranchHeadMoved ${nameOf(event)} from ${event.previousHeadId ?? null} to ${event.headId} ` +
            `by ${ids(event.messages).join(' ')}`
          );
        case 'BranchRenamed':
          return `BranchRenamed ${nameOf(event)} from ${event.previousName} to ${event.name}`;
        case 'BranchDeleted':
          return `BranchDeleted ${event.name} at ${event.headId ?? null}`;
        case 'CheckpointSaved':
          return `CheckpointSaved ${event.name} at ${event.messageId}`;
        case 'CheckpointDeleted':
          return `CheckpointDeleted ${event.name}`;
        default:
          return event.__typename;
      }
    }),
    messages: messages
      .map((message) => ({
        id: message.id,
        chatId: message.chat.id,
        parentId: message.parentId ?? null,
        parent: message.parent?.id ?? null,
        children: ids(message.children.edges.map((edge) => edge.node)),
        childCount: message.children.totalCount,
        name: message.name,
        type: message.type,
        text: message.text,
        depth: message.depth,
        seq: message.seq,
        hasChildren: message.hasChildren,
        chain: ids(message.chain),
        siblings: ids(message.siblings),
        siblingIndex: message.siblingIndex,
        siblingCount: message.siblingCount,
        latestLeaf: message.latestLeaf.id,
        headOf: names(message.headOf),
        branches: names(message.branches),
        checkpoints: names(message.checkpoints),
      }))
      .sort((a, b) => a.seq - b.seq),
  };
}
