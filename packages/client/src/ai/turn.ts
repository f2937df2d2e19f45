/** One turn of a chat: a request that saves a message and starts an answer, and the stream of its response. */
import {
  convertFileListToFileUIParts,
  type AbstractChat,
  type ChatRequestOptions,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import type { Message as StoredMessage } from '../message.js';
import type { Outcome } from '../outcome.js';
import type { Files } from '../files/files.js';
import type { ThreadStore } from '../thread-store.js';

/** The argument of the AI SDK's sendMessage. */
export type Sent<Message extends UIMessage> = Parameters<AbstractChat<Message>['sendMessage']>[0];

/** Where a message is saved, and the reaction to a branch with newer messages than those before it. */
export interface Place {
  branch?: string | undefined;
  onConflict: 'FORK' | 'REJECT';
}

export interface Turn<Message extends UIMessage> extends ChatRequestOptions {
  readonly trigger: 'submit-message' | 'regenerate-message';
  readonly messageId: string | undefined;
  /** The thread up to the message to answer. */
  messages: Message[];
  /** The message that this turn saves, shown before the server has confirmed it. */
  expected?: ReturnType<ThreadStore['expect']>;
  /** The message before it. */
  parentId?: string | null;
  /** Whether it starts a new branch if there are newer messages. */
  readonly isFork?: boolean;
  /** Whether it was sent before the page had read the thread: it follows the last message then. */
  readonly isUnread?: boolean;
  /** Called when the server has saved or refused the message, or it was withdrawn: the outbox then removes it. */
  settle?: (outcome: Outcome<readonly StoredMessage[]>) => void;
  readonly aborting: AbortController;
  /** Known from the first chunk of the answer. */
  answerId?: string;
}

/** The message that a turn saves. */
export const sentOf = <Message extends UIMessage>({ messages }: Pick<Turn<Message>, 'messages'>): Message =>
  messages.at(-1) as Message;

/** The types of the chunks after which an answer is saved even if the stream ends. */
const CONTENT = /delta|tool|file|source|data-/;

const isContent = (chunk: unknown): boolean =>
  typeof chunk === 'string' || CONTENT.test((chunk as UIMessageChunk).type);

/**
 * Reads the answer until the store shows its content or it ends.
 * @param stop called with the id of the answer after the turn was aborted
 */
export async function followTurn<Message extends UIMessage>(
  store: ThreadStore,
  turn: Turn<Message>,
  stream: ReadableStream<UIMessageChunk>,
  stop: (answerId: string) => void,
): Promise<void> {
  const reader = stream.getReader();
  const unsubscribe = store.subscribe(() => {
    if (isShown(store, turn)) reader.cancel().catch(() => {});
  });
  let hasContent = false;
  try {
    for (;;) {
      // A lost connection after the first chunk does not end the answer.
      const { done, value } = await reader.read().catch((reason: unknown) => {
        if (turn.answerId === undefined) throw reason;
        return { done: true, value: undefined };
      });
      if (done || value === undefined) break;
      if (value.type === 'error') throw new Error(value.errorText);
      hasContent ||= isContent(value);
      if (value.type !== 'start' || value.messageId === undefined) continue;
      turn.answerId = value.messageId;
      if (turn.aborting.signal.aborted) stop(turn.answerId);
    }
  } finally {
    unsubscribe();
  }
  if (!hasContent) return;
  await store.when(({ status }) => /gone|failed/.test(status) || isShown(store, turn));
}

/** Whether the store shows content of an answer, or has read it on another branch. */
function isShown<Message extends UIMessage>(store: ThreadStore, { answerId, messages }: Turn<Message>): boolean {
  if (answerId === undefined) return false;
  const { thread, drafts, childrenMap } = store.getState();
  if (thread.at(-1)?.id === answerId) {
    const draft = drafts.find(({ id }) => id === answerId);
    return draft === undefined || draft.chunks.some(isContent);
  }
  const answers = childrenMap.get(messages.at(-1)?.id ?? null) ?? [];
  return answers.some(({ id }) => id === answerId);
}

/**
 * The parts of a message.
 * @param toParts converts a FileList; by default to data URLs
 */
export async function partsToSend<Message extends UIMessage>(
  message: NonNullable<Sent<Message>>,
  toParts: Files['attach'] | typeof convertFileListToFileUIParts = convertFileListToFileUIParts,
): Promise<UIMessage['parts']> {
  const { text, files, parts } = message as { text?: string; files?: unknown; parts?: UIMessage['parts'] };
  if (parts !== undefined) return parts;
  const fileParts = Array.isArray(files) ? files : await toParts(files as never);
  return [...(fileParts as UIMessage['parts']), ...(text ? [{ type: 'text' as const, text }] : [])];
}
