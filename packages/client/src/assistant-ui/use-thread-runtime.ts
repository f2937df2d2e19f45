/** `@parley/client/assistant-ui`: a ThreadStore as the runtime of assistant-ui's components. */
import {
  useExternalStoreRuntime,
  type AppendMessage,
  type AssistantRuntime,
  type AttachmentAdapter,
  type ExternalStoreThreadListAdapter,
  type ThreadMessage,
} from '@assistant-ui/react';
import { useMemo, useReducer, useRef, useSyncExternalStore } from 'react';
import type { Files, MessageWithParts } from '../files/files.js';
import type { Content } from '../message.js';
import type { Outcome } from '../outcome.js';
import type { ThreadStore } from '../thread-store.js';
import { contentOf, fileAttachments, filePartsOf, type FileAttachmentOptions } from './attachments.js';
import { useThreadList, type ThreadListOptions } from './use-thread-list.js';
import { writeAnswer, type Answer } from './write-answer.js';
import type { ToMessage } from './message-parts.js';
import { MessageVersions, type ShownChat } from './message-versions.js';

export { fileAttachments, useThreadList };
export type { Answer, FileAttachmentOptions, ThreadListOptions, ToMessage };

/** The functions of the result of `useParleyChat` that the runtime calls. */
export interface AnsweredChat extends ShownChat {
  sendMessage(message: { text: string; messageId?: string } | { parts: never; messageId?: string }): Promise<void>;
  regenerate(options: { messageId?: string }): Promise<void>;
  stop(): Promise<void>;
  /** Its argument has the types of the tools. */
  addToolOutput(output: never): void | PromiseLike<void>;
}

export interface ThreadRuntimeOptions {
  /**
   * The result of `useParleyChat` for the chat of the store: it sends, answers and stops, with its route. Answers are shown with their
   * parts while they are written.
   */
  chat?: AnsweredChat;
  /**
   * Answers in this page, with drafts of a store with the option `writer`. Without it, another process answers, and a
   * page cannot reload an answer.
   */
  answer?: Answer;
  /**
   * Called with refused writes and failed answers.
   * @default console.error
   */
  onError?: (error: unknown) => void;
  /**
   * Converts a message for display. Pass the same function at each render.
   * @default its text, or the parts of its UIMessage: texts, reasoning, tool calls, files and sources
   */
  toMessage?: ToMessage;
  /**
   * Returns the content to save from the composer.
   * @default its text, or a UIMessage when it has files
   */
  toContent?: (message: AppendMessage) => Content;
  /** Adds files to the composer: `fileAttachments()`. Pass the same object at each render. */
  attachments?: AttachmentAdapter;
  /**
   * The result of `createFiles`: shows the files of messages by URLs, which are replaced before they expire, and uploads those of
   * the composer. Pass the same object at each render.
   */
  files?: Files;
  /** The chat list: `useThreadList()`. */
  threadList?: ExternalStoreThreadListAdapter;
}

interface ToolResult {
  toolCallId: string;
  toolName: string;
  result: unknown;
  isError: boolean;
}

/**
 * Shows a thread in assistant-ui, with a BranchPicker for the versions of a message. An edit or a reload adds a
 * version, in every tab.
 * @param store the store of the chat, such as `useThread(chatId).store`. Its option `switching` decides whether other
 * tabs follow the BranchPicker
 */
export function useThreadRuntime(store: ThreadStore, options: ThreadRuntimeOptions = {}): AssistantRuntime {
  // oxlint-disable-next-line no-console -- The option selects another function.
  const { answer, chat, onError = console.error, toMessage, toContent = contentOf } = options;
  const { attachments, files, threadList } = options;
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getState);
  const [turn, showAgain] = useReducer((n: number) => n + 1, 0);
  const getVersion = () => files?.getVersion();
  const version = useSyncExternalStore((files ?? store).subscribe, getVersion, getVersion);
  const versions = useMemo(() => new MessageVersions(store, toMessage, files), [store, toMessage, files]);
  // The components update before the store: after a refusal the state of the store is shown again.
  const { messages, status: turnStatus } = chat ?? {};
  const shown = useMemo(
    () => versions.render(state, [turn, version, messages, turnStatus], chat),
    [versions, state, turn, version, messages, turnStatus],
  );
  const running = useRef(new Set<AbortController>());

  /** Reports a failure, and returns whether there was none. */
  const done = (outcome: Outcome<unknown>) => {
    if (!outcome.ok) onError(outcome.error);
    showAgain();
    return outcome.ok;
  };
  const contentIn = async (message: AppendMessage): Promise<Content> => {
    try {
      const content = toContent(message);
      if (files === undefined || typeof content === 'string' || filePartsOf(content.data).length === 0) return content;
      // URLs of shown files become references again.
      const [stored] = await files.storeFiles([content.data as MessageWithParts]);
      return { data: stored };
    } catch (error) {
      onError(error);
      throw error;
    }
  };
  const answerTo = async (parentId?: string) => {
    if (answer === undefined) return;
    const stopping = new AbortController();
    running.current.add(stopping);
    try {
      await writeAnswer(store, answer, stopping, parentId);
    } catch (error) {
      onError(error);
    } finally {
      running.current.delete(stopping);
      showAgain();
    }
  };

  /** Sends a message with its answer: a new one, or another version. */
  const sendTo = async (to: AnsweredChat, message: AppendMessage, version: { messageId?: string } = {}) => {
    const content = await contentIn(message);
    const text = typeof content === 'string' ? content : content.text;
    const { parts: all } = (typeof content === 'string' ? {} : (content.data ?? {})) as { parts?: never };
    await to
      .sendMessage(text === undefined ? { parts: all as never, ...version } : { text, ...version })
      .catch(onError);
    showAgain();
  };
  const { status } = state.thread.at(-1) ?? {};
  const isWriting = status === 'streaming' || status === 'stopping';

  return useExternalStoreRuntime({
    ...shown,
    isRunning: turnStatus === undefined ? isWriting : turnStatus === 'submitted' || turnStatus === 'streaming',
    isLoading: state.status === 'opening',
    async onNew(message) {
      if (chat !== undefined) return sendTo(chat, message);
      if (done(await store.send(await contentIn(message))) && message.startRun !== false) await answerTo();
    },
    async onEdit(message) {
      if (message.sourceId == null) return onError(new Error('An edit needs the id of its message'));
      if (chat !== undefined) return sendTo(chat, message, { messageId: message.sourceId });
      if (done(await store.edit(message.sourceId, await contentIn(message))) && message.startRun !== false)
        await answerTo();
    },
    adapters: { attachments, threadList },
    ...(chat !== undefined && {
      async onReload(_parentId: string | null, { sourceId }: { sourceId?: string | null }) {
        await chat.regenerate(sourceId == null ? {} : { messageId: sourceId }).catch(onError);
      },
      async onAddToolResult({ toolCallId, toolName, result, isError }: ToolResult) {
        const errorText = typeof result === 'string' ? result : JSON.stringify(result);
        const given = isError ? { state: 'output-error', errorText } : { output: result };
        await chat.addToolOutput({ tool: toolName, toolCallId, ...given } as never);
      },
    }),
    ...(answer !== undefined && {
      async onReload(parentId: string | null, { sourceId }: { sourceId?: string | null }) {
        // The first message of the thread may have an unread parent.
        const before = store.getState().thread.find(({ id }) => id === sourceId)?.parentId ?? parentId;
        if (before === null) onError(new Error('A message without a parent cannot be reloaded'));
        else await answerTo(before);
      },
    }),
    async onCancel() {
      if (chat !== undefined) return chat.stop();
      for (const stopping of running.current) stopping.abort();
      done(await store.stop());
    },
    setMessages(messages: readonly ThreadMessage[]) {
      const chosen = versions.chosenIn(messages);
      if (chosen === undefined) return showAgain();
      void store.switchToSibling(chosen).then(done);
    },
  });
}
