/** Common operations of tests. */
import type { MessageInput, SaveMessagesInput } from '../../generated/graphql/graphql.js';
import { graphql } from '../../generated/graphql/gql.js';
import { openParley, type Parley } from '../server/parley.js';

export const CreateChat = graphql(`
  mutation CreateChat($input: CreateChatInput!) {
    createChat(input: $input) {
      __typename
      ... on CreateChatPayload {
        chat {
          id
          userId
          title
          metadata
          version
          activeBranch {
            name
            head {
              id
            }
          }
        }
      }
      ... on Error {
        code
        message
      }
      ... on InvalidInputError {
        path
      }
    }
  }
`);

export const SaveMessages = graphql(`
  mutation SaveMessages($input: SaveMessagesInput!) {
    saveMessages(input: $input) {
      __typename
      ... on SaveMessagesPayload {
        branched
        chat {
          version
          messageCount
        }
        branch {
          name
          isActive
          messageCount
          head {
            id
          }
        }
        messages {
          id
          parentId
          text
          data
        }
      }
      ... on Error {
        code
        message
      }
      ... on InvalidInputError {
        path
      }
      ... on HeadConflictError {
        expectedHeadId
        branch {
          name
        }
        actualHead {
          id
        }
        newerMessages {
          id
        }
      }
    }
  }
`);

export const EditMessage = graphql(`
  mutation EditMessage($input: EditMessageInput!) {
    editMessage(input: $input) {
      __typename
      ... on SaveMessagesPayload {
        branched
        branch {
          name
          isActive
          head {
            id
          }
        }
        messages {
          id
          parentId
          depth
          text
        }
      }
      ... on Error {
        code
        message
      }
      ... on InvalidInputError {
        path
      }
    }
  }
`);

export const Rewind = graphql(`
  mutation Rewind($input: RewindInput!) {
    rewind(input: $input) {
      __typename
      ... on BranchPayload {
        branch {
          id
          name
          isActive
          messageCount
          head {
            id
          }
        }
      }
      ... on Error {
        code
        message
      }
      ... on InvalidInputError {
        path
      }
    }
  }
`);

export const SwitchBranch = graphql(`
  mutation SwitchBranch($input: SwitchBranchInput!) {
    switchBranch(input: $input) {
      __typename
      ... on BranchPayload {
        branch {
          name
          isActive
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

/** The branches of a chat: their names, the active branch, and the ids from the root to their heads. */
export const Branches = graphql(`
  query Branches($id: ID!) {
    chat(id: $id) {
      version
      messageCount
      branches(first: 45) {
        pageInfo {
          hasNextPage
        }
        edges {
          node {
            name
            isActive
            chain {
              id
            }
          }
        }
      }
    }
  }
`);

export async function createChat(parley: Parley, id: string): Promise<void> {
  const { createChat: result } = await parley.run(CreateChat, { input: { id } });
  if (result.__typename !== 'CreateChatPayload') throw new Error(result.message);
}

/** Saves messages and returns the payload. @throws Error for a failure */
export async function save(parley: Parley, input: Omit<SaveMessagesInput, 'onConflict'> & Partial<SaveMessagesInput>) {
  const { saveMessages: result } = await parley.run(SaveMessages, { input: { onConflict: 'REJECT', ...input } });
  if (result.__typename !== 'SaveMessagesPayload') throw new Error(`${result.code}: ${result.message}`);
  return result;
}

/** A message of a user; by default, its text is its id. */
export function userMessage(id: string, text = id): MessageInput {
  return { id, name: 'user', type: 'message', content: { text } };
}

export function assistantMessage(id: string, text = id): MessageInput {
  return { ...userMessage(id, text), name: 'assistant' };
}

/** The ids of each branch from root to head, by branch name; the active branch has a star. */
export async function branchesOf(parley: Parley, chatId: string): Promise<Record<string, string[]>> {
  const { chat } = await parley.run(Branches, { id: chatId });
  if (chat?.branches.pageInfo.hasNextPage) throw new Error('The chat has more branches than one page');
  const branches = chat?.branches.edges ?? [];
  return Object.fromEntries(
    branches.map(({ node }) => [node.isActive ? `${node.name}*` : node.name, node.chain.map((message) => message.id)]),
  );
}

/** A chat "c" whose branch main is m1 ← m2 ← m3 ← m4. */
export async function chatOfFour(): Promise<Parley> {
  const parley = await openParley();
  await createChat(parley, 'c');
  const messages = [userMessage('m1'), assistantMessage('m2'), userMessage('m3'), assistantMessage('m4')];
  await save(parley, { chatId: 'c', messages });
  return parley;
}
