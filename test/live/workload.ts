/**
 * Clients with concurrent operations on a few chats, which record acknowledgements until they end or the server is
 * killed.
 */
import type { MessageInput } from '../generated/graphql/graphql.js';
import { assistantMessage, userMessage } from '../support/chats/operations.js';
import type { ServerProcess } from '../support/server/server-process.js';

const SAVED = '... on SaveMessagesPayload { chat { version } branch { name } messages { id } }';
const MOVED = '... on BranchPayload { chat { version } branch { name head { id } } }';
const CHANGES = {
  saveMessages: ['SaveMessagesInput', SAVED],
  editMessage: ['EditMessageInput', SAVED],
  rewind: ['RewindInput', MOVED],
  switchBranch: ['SwitchBranchInput', MOVED],
  createCheckpoint: ['CreateCheckpointInput', '... on CheckpointPayload { checkpoint { chat { version } } }'],
} as const;

interface Payload {
  __typename: string;
  chat: { version: number };
  branch: { name: string; head?: { id: string } };
  messages?: { id: string }[];
  checkpoint: { chat: { version: number } };
}

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
    }: { chatId: string; name: string; branch: string; messageId?: string | undefined },
  ): Promise<Acknowledged | null> {
    if (messageId !== undefined) {
      if (kind === 1) return this.#activate('editMessage', { chatId, messageId, content: { text: `${name}-edit` } });
      if (kind === 2) return this.#activate('rewind', { chatId, at: { message: messageId } });
      if (kind === 3) return this.#activate('switchBranch', { chatId, name: branch });
      if (kind === 4) {
        const payload = await this.#change('createCheckpoint', { chatId, messageId, name });
        if (payload === null) return null;
        const { version } = payload.checkpoint.chat;
        return this.#acknowledge({ kind: 'bookmarked', chatId, name, messageId, version });
      }
    }
    if (kind === 5) {
      // To the active branch, with ids of the server.
      const messages = ['user', 'assistant'].map((author) => ({
        name: author,
        content: { text: `${name}-${author}` },
      }));
      return this.#activate('saveMessages', { chatId, messages, onConflict: 'REJECT' });
    }
    const messages = [
      { ...userMessage(`${name}-q`), id: `${name}-q` },
      { ...assistantMessage(`${name}-a`), id: `${name}-a` },
    ];
    const save = { chatId, branch, messages };
    const payload = await this.#change('saveMessages', { ...save, onConflict: 'REJECT' });
    if (payload === null) {
      this.unansweredSaves.push(save);
      return null;
    }
    const messageIds = messages.map(({ id }) => id);
    return this.#acknowledge({ kind: 'saved', chatId, branch, messageIds, version: payload.chat.version });
  }

  /** A change that makes a branch active. */
  async #activate(
    field: keyof typeof CHANGES,
    input: { chatId: string; messageId?: string; [name: string]: unknown },
  ): Promise<Acknowledged | null> {
    const payload = await this.#change(field, input);
    if (payload === null) return null;
    const { chat, branch, messages } = payload;
    const messageIds = messages?.map(({ id }) => id) ?? [branch.head!.id];
    const { chatId } = input;
    return this.#acknowledge({ kind: 'activated', chatId, branch: branch.name, messageIds, version: chat.version });
  }

  /** Kills the server immediately after enough acknowledgements, while other clients' requests are running. */
  #acknowledge(ack: Acknowledged): Acknowledged {
    this.acknowledged.push(ack);
    if (this.acknowledged.length === this.killAfter) this.server.kill('SIGKILL');
    return ack;
  }

  /** @returns null if the server was killed before it responded. @throws Error for an expected failure */
  async #change(field: keyof typeof CHANGES, input: object): Promise<Payload | null> {
    const [type, fields] = CHANGES[field];
    const document = `mutation ($input: ${type}!) { ${field}(input: $input) { __typename ${fields} ... on Error { message } } }`;
    try {
      const { data, errors } = await this.server.post(document, { input });
      const payload = (data as Record<string, Payload> | null | undefined)?.[field];
      if (!payload?.__typename.endsWith('Payload')) throw new Error(JSON.stringify({ payload, errors }));
      return payload;
    } catch (error) {
      // Fetch throws it when the connection breaks.
      if (error instanceof TypeError && this.acknowledged.length >= this.killAfter) return null;
      throw error;
    }
  }
}
