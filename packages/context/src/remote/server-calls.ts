/** The requests of a store to its server, and their results as values or as a ContextError. */
import { ContextError, DraftOffsetError, orNull, type ContextErrorCode } from '../errors.js';
import { isRecord } from '../record.js';
import { chatNotFound, messageNotFound } from '../store/context-store.js';
import type { BranchData, ChatData, SavedMessages } from '../store/store-data.js';
import type { Ask } from './graphql-client.js';
import { toBranchData, toChatData, toMessageData, type BranchRow, type ChatRow, type MessageRow } from './rows.js';

/** The result of a mutation: its payload, or the reason why nothing was written. */
export type Outcome<Payload> =
  | Payload
  | {
      code: Exclude<ContextErrorCode, 'UNAVAILABLE' | 'INTERNAL' | 'NOT_SUPPORTED'>;
      message: string;
      path?: string | null;
      length?: number;
    };

export interface SavedRows {
  branch: BranchRow;
  messages: MessageRow[];
  branched: boolean;
}

export class ServerCalls {
  constructor(readonly ask: Ask) {}

  async change<Payload extends object>(mutation: string, input: object): Promise<Payload> {
    return payloadOf(await this.ask<Outcome<Payload>>('result', mutation, { input }));
  }

  async changeChat(mutation: string, input: object): Promise<ChatData> {
    return toChatData((await this.change<{ chat: ChatRow }>(mutation, input)).chat);
  }

  async changeBranch(mutation: string, input: { chatId: string; [field: string]: unknown }): Promise<BranchData> {
    return toBranchData((await this.change<{ branch: BranchRow }>(mutation, input)).branch, input.chatId);
  }

  async save(mutation: string, input: { chatId: string; [field: string]: unknown }): Promise<SavedMessages> {
    return toSaved(await this.change<SavedRows>(mutation, input), input.chatId);
  }

  /** @returns false when there was nothing to remove */
  async remove(mutation: string, input: object): Promise<boolean> {
    return (await orNull(this.change(mutation, input))) !== null;
  }

  /** Reads fields of a chat. @throws ContextError NOT_FOUND for a missing chat */
  async ofChat<Found>(query: string, variables: { chatId: string; [name: string]: unknown }): Promise<Found> {
    const chat = await this.ask<Found | null>('chat', query, variables);
    if (chat === null) throw chatNotFound(variables.chatId);
    return chat;
  }

  /** Reads fields of a message. @throws ContextError NOT_FOUND for a missing message */
  async ofMessage<Found>(query: string, id: string, variables: Record<string, unknown> = {}): Promise<Found> {
    const message = await this.ask<Found | null>('message', query, { id, ...variables });
    if (message === null) throw messageNotFound(id);
    return message;
  }
}

/** @throws ContextError with the reason of a mutation that has written nothing */
export function payloadOf<Payload extends object>(result: Outcome<Payload>): Payload {
  if (!isRecord(result)) throw new ContextError('INTERNAL', 'The server returned no result of a mutation');
  if (!('code' in result)) return result;
  const { code, message, path = null, length } = result;
  throw length === undefined ? new ContextError(code, message, path) : new DraftOffsetError(message, length);
}

export function toSaved({ branch, messages, branched }: SavedRows, chatId: string): SavedMessages {
  return {
    branch: toBranchData(branch, chatId),
    messages: messages.map((message) => toMessageData(message, chatId)),
    branched,
  };
}
