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
import { MessageVersions, type ToMessage } from './message-versions.js';

export { fileAttachments, useThreadList };
export type { Answer, FileAttachmentOptions, ThreadListOptions, ToMessage };

export interface ThreadRuntimeOptions {
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
   * @default its `text`
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

/**
 * Shows a thread in assistant-ui, with a BranchPicker for the versions of a message. An edit or a reload adds a
 * version, in every tab.
 * @param store the store of the chat, such as `useThread(chatId).store`. Its option `switching` decides whether other
 * tabs follow the BranchPicker
 */
export function useThreadRuntime(store: ThreadStore, options: ThreadRuntimeOptions = {}): AssistantRuntime {
  // oxlint-disable-next-line no-console -- The option selects another function.
  const { answer, onError = console.error, toMessage, toContent = contentOf } = options;
  const { attachments, files, threadList } = options;
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getState);
  const [turn, showAgain] = useReducer((n: number) => n + 1, 0);
  const getVersion = () => files?.getVersion();
  const version = useSyncExternalStore((files ?? store).subscribe, getVersion, getVersion);
  const versions = useMemo(() => new MessageVersions(store, toMessage, files), [store, toMessage, files]);
  // The components update before the store: after a refusal the state of the store is shown again.
  const shown = useMemo(() => versions.render(state, [turn, version]), [versions, state, turn, version]);
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

  return useExternalStoreRuntime({
    ...shown,
    isRunning: state.thread.at(-1)?.status === 'streaming' || state.thread.at(-1)?.status === 'stopping',
    isLoading: state.status === 'opening',
    async onNew(message) {
      if (done(await store.send(await contentIn(message))) && message.startRun !== false) await answerTo();
    },
    async onEdit(message) {
      if (message.sourceId == null) return onError(new Error('An edit needs the id of its message'));
      if (done(await store.edit(message.sourceId, await contentIn(message))) && message.startRun !== false)
        await answerTo();
    },
    adapters: { attachments, threadList },
    ...(answer !== undefined && {
      async onReload(parentId: string | null, { sourceId }: { sourceId?: string | null }) {
        // The first message of the thread may have an unread parent.
        const before = store.getState().thread.find(({ id }) => id === sourceId)?.parentId ?? parentId;
        if (before === null) onError(new Error('A message without a parent cannot be reloaded'));
        else await answerTo(before);
      },
    }),
    async onCancel() {
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
