/**
 * Clients with concurrent operations on a few chats, which record acknowledgements until they end or the server is
 * killed.
 */
import { graphql } from '../generated/graphql/gql.js';
import type { MessageInput, TypedDocumentString } from '../generated/graphql/graphql.js';
import { assistantMessage, userMessage } from '../support/chats/operations.js';
import type { ServerProcess } from '../support/server/server-process.js';

const LoadSave = graphql(`
  mutation LoadSave($input: SaveMessagesInput!) {
    saveMessages(input: $input) {
      __typename
      ... on SaveMessagesPayload {
        chat {
          version
        }
        branch {
          name
        }
        messages {
          id
        }
      }
      ... on Error {
        message
      }
    }
  }
`);

const LoadEdit = graphql(`
  mutation LoadEdit($input: EditMessageInput!) {
    editMessage(input: $input) {
      __typename
      ... on SaveMessagesPayload {
        chat {
          version
        }
        branch {
          name
        }
        messages {
          id
        }
      }
      ... on Error {
        message
      }
    }
  }
`);

const LoadRewind = graphql(`
  mutation LoadRewind($input: RewindInput!) {
    rewind(input: $input) {
      __typename
      ... on BranchPayload {
        chat {
          version
        }
        branch {
          name
        }
      }
      ... on Error {
        message
      }
    }
  }
`);

const LoadSwitch = graphql(`
  mutation LoadSwitch($input: SwitchBranchInput!) {
    switchBranch(input: $input) {
      __typename
      ... on BranchPayload {
        chat {
          version
        }
        branch {
          name
          head {
            id
          }
        }
      }
      ... on Error {
        message
      }
    }
  }
`);

const LoadCheckpoint = graphql(`
  mutation LoadCheckpoint($input: CreateCheckpointInput!) {
    createCheckpoint(input: $input) {
      __typename
      ... on CheckpointPayload {
        checkpoint {
          name
          message {
            id
          }
          chat {
            version
          }
        }
      }
      ... on Error {
        message
      }
    }
  }
`);

/** Acknowledged changes, which the server must keep. */
export type Acknowledged = {
  chatId: string;
  /** A lower limit of the chat's version at that time. */
  version: number;
} & (
  | { kind: 'saved'; branch: string; messageIds: string[] }
  /** The branch was activated, and contains the messages. */
  | { kind: 'activated'; branch: string; messageIds: string[] }
  | { kind: 'bookmarked'; name: string; messageId: string }
);

/** A save that can be repeated, because the client chose the ids of its messages. */
export interface RepeatableSave {
  chatId: string;
  branch: string;
  messages: (MessageInput & { id: string })[];
}

export class Workload {
  readonly acknowledged: Acknowledged[] = [];
  /** Saves that were running when the server was killed. */
  readonly unansweredSaves: RepeatableSave[] = [];
  #endAfter = Infinity;

  constructor(
    private readonly server: ServerProcess,
    /** Prefix of every id, name and text of this workload. */
    private readonly prefix: string,
    /** The number of acknowledgements after which the server is killed; by default, it is not killed. */
    private readonly killAfter = Infinity,
  ) {}

  /** Ends the clients after this many more acknowledgements. */
  endAfter(more: number): void {
    this.#endAfter = this.acknowledged.length + more;
  }

  /** A client in one chat with sequential requests, until the connection breaks or the clients end. */
  async client(n: number, chatId: string): Promise<void> {
    /** The branches and messages that the server acknowledged to this client. */
    const branches = ['main'];
    const messageIds: string[] = [];
    for (let step = 0; this.acknowledged.length < this.#endAfter; step++) {
      const name = `${this.prefix}-c${n}-${step}`;
      const branch = branches[step % branches.length]!;
      const messageId = messageIds[(step * 7) % Math.max(1, messageIds.length)];
      const ack = await this.#act((step + n) % 7, { chatId, name, branch, messageId });
      if (ack === null) return;
      if (ack.kind !== 'bookmarked') {
        if (!branches.includes(ack.branch)) branches.push(ack.branch);
        messageIds.push(...ack.messageIds);
      }
    }
  }

  /** Runs one of seven kinds of request; saves if no message exists yet. */
  async #act(
    kind: number,
    {
      chatId,
      name,
      branch,
      messageId,
    }: { chatId: string; name: string; branch: string; messageId: string | undefined },
  ): Promise<Acknowledged | null> {
    if (messageId !== undefined) {
      if (kind === 1) return this.#edit(chatId, messageId, name);
      if (kind === 2) return this.#rewind(chatId, messageId);
      if (kind === 3) return this.#switch(chatId, branch);
      if (kind === 4) return this.#checkpoint(chatId, messageId, name);
    }
    if (kind === 5) return this.#saveWithoutIds(chatId, name);
    return this.#save({
      chatId,
      branch,
      messages: [
        { ...userMessage(`${name}-q`), id: `${name}-q` },
        { ...assistantMessage(`${name}-a`), id: `${name}-a` },
      ],
    });
  }

  async #save(save: RepeatableSave): Promise<Acknowledged | null> {
    const { chatId, branch, messages } = save;
    const answer = await this.#ask(LoadSave, { input: { ...save, onConflict: 'REJECT' } });
    if (answer === null) {
      this.unansweredSaves.push(save);
      return null;
    }
    const { chat } = succeeded(answer.saveMessages, 'SaveMessagesPayload');
    const messageIds = messages.map(({ id }) => id);
    return this.#acknowledge({ kind: 'saved', chatId, branch, messageIds, version: chat.version });
  }

  /** Saves to the active branch. */
  async #saveWithoutIds(chatId: string, text: string): Promise<Acknowledged | null> {
    const messages = ['user', 'assistant'].map((name) => ({
      name,
      type: 'message',
      content: { text: `${text}-${name}` },
    }));
    const answer = await this.#ask(LoadSave, { input: { chatId, messages, onConflict: 'REJECT' } });
    if (answer === null) return null;
    const { chat, branch, messages: saved } = succeeded(answer.saveMessages, 'SaveMessagesPayload');
    const messageIds = saved.map(({ id }) => id);
    return this.#acknowledge({ kind: 'activated', chatId, branch: branch.name, messageIds, version: chat.version });
  }

  async #edit(chatId: string, messageId: string, text: string): Promise<Acknowledged | null> {
    const answer = await this.#ask(LoadEdit, { input: { chatId, messageId, content: { text: `${text}-edit` } } });
    if (answer === null) return null;
    const { chat, branch, messages } = succeeded(answer.editMessage, 'SaveMessagesPayload');
    const messageIds = messages.map(({ id }) => id);
    return this.#acknowledge({ kind: 'activated', chatId, branch: branch.name, messageIds, version: chat.version });
  }

  async #rewind(chatId: string, messageId: string): Promise<Acknowledged | null> {
    const answer = await this.#ask(LoadRewind, { input: { chatId, messageId } });
    if (answer === null) return null;
    const { chat, branch } = succeeded(answer.rewind, 'BranchPayload');
    const { version } = chat;
    return this.#acknowledge({ kind: 'activated', chatId, branch: branch.name, messageIds: [messageId], version });
  }

  async #switch(chatId: string, name: string): Promise<Acknowledged | null> {
    const answer = await this.#ask(LoadSwitch, { input: { chatId, name } });
    if (answer === null) return null;
    const { chat, branch } = succeeded(answer.switchBranch, 'BranchPayload');
    const messageIds = [branch.head!.id];
    return this.#acknowledge({ kind: 'activated', chatId, branch: branch.name, messageIds, version: chat.version });
  }

  async #checkpoint(chatId: string, messageId: string, name: string): Promise<Acknowledged | null> {
    const answer = await this.#ask(LoadCheckpoint, { input: { chatId, messageId, name } });
    if (answer === null) return null;
    const { checkpoint } = succeeded(answer.createCheckpoint, 'CheckpointPayload');
    return this.#acknowledge({ kind: 'bookmarked', chatId, name, messageId, version: checkpoint.chat.version });
  }

  /** Kills the server immediately after enough acknowledgements, while other clients' requests are running. */
  #acknowledge(ack: Acknowledged): Acknowledged {
    this.acknowledged.push(ack);
    if (this.acknowledged.length === this.killAfter) this.server.kill('SIGKILL');
    return ack;
  }

  /** Null if the server was killed before it responded. */
  async #ask<Result, Variables>(
    document: TypedDocumentString<Result, Variables>,
    variables: Variables,
  ): Promise<Result | null> {
    try {
      return await this.server.run(document, variables);
    } catch (error) {
      // Fetch throws it when the connection breaks.
      if (error instanceof TypeError && this.acknowledged.length >= this.killAfter) return null;
      throw error;
    }
  }
}

/** The payload of a response. @throws Error for an expected failure */
function succeeded<Answer extends { __typename: string }, Name extends Answer['__typename']>(
  answer: Answer,
  name: Name,
): Extract<Answer, { __typename: Name }> {
  if (answer.__typename !== name) throw new Error(JSON.stringify(answer));
  return answer as Extract<Answer, { __typename: Name }>;
}
