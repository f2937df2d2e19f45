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
import type { Content } from '../store/message.js';
import type { Outcome } from '../store/outcome.js';
import type { ThreadStore } from '../store/thread-store.js';
import { contentOf, fileAttachments, type FileAttachmentOptions } from './attachments.js';
import { useThreadList, type ThreadListOptions } from './use-thread-list.js';
import { writeAnswer, type Answer } from './write-answer.js';
import { MessageVersions, type ToMessage } from './message-versions.js';

export { fileAttachments, useThreadList };
export type { Answer, FileAttachmentOptions, ThreadListOptions, ToMessage };

export interface ThreadRuntimeOptions {
  /** Answers in this page, by drafts of a store with the option `writer`. Without it, another process answers, and a page cannot reload an answer. */
  answer?: Answer;
  /** What is told of whatever was refused or has failed, for components await nothing: `console.error` by default. */
  onError?: (error: unknown) => void;
  /** How a message is drawn: its `text` by default. The same function at each rendering. */
  toMessage?: ToMessage;
  /** What is saved of what the composer has: by default its text, or a UIMessage when it has files. */
  toContent?: (message: AppendMessage) => Content;
  /** Lets the composer take files: `fileAttachments()`. The same object at each rendering. */
  attachments?: AttachmentAdapter;
  /** The list of chats: `useThreadList()`. */
  threadList?: ExternalStoreThreadListAdapter;
}

/**
 * Shows a thread in assistant-ui, with a BranchPicker that goes through the versions of a message, for everybody or here
 * alone, as the `switching` of the store says. What is edited or reloaded becomes another version, in every tab.
 * @param store of this chat; `useThread(chatId).store` is one
 */
export function useThreadRuntime(store: ThreadStore, options: ThreadRuntimeOptions = {}): AssistantRuntime {
  // eslint-disable-next-line no-console -- Who wants it elsewhere says so.
  const { answer, onError = console.error, toMessage, toContent = contentOf } = options;
  const { attachments, threadList } = options;
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getState);
  const [turn, showAgain] = useReducer((n: number) => n + 1, 0);
  const versions = useMemo(() => new MessageVersions(store, toMessage), [store, toMessage]);
  // The components go ahead of the store: what was refused there is shown again as the store has it.
  const shown = useMemo(() => versions.look(state, turn), [versions, state, turn]);
  const running = useRef(new Set<AbortController>());

  /** Whether it was done. */
  const done = (outcome: Outcome<unknown>) => {
    if (!outcome.ok) onError(outcome.error);
    showAgain();
    return outcome.ok;
  };
  const contentIn = (message: AppendMessage) => {
    try {
      return toContent(message);
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
      if (done(await store.send(contentIn(message))) && message.startRun !== false) await answerTo();
    },
    async onEdit(message) {
      if (message.sourceId == null) return onError(new Error('What is edited is not named'));
      if (done(await store.edit(message.sourceId, contentIn(message))) && message.startRun !== false) await answerTo();
    },
    adapters: { attachments, threadList },
    ...(answer !== undefined && {
      async onReload(parentId: string | null, { sourceId }: { sourceId?: string | null }) {
        // What stands first here may have a parent that was not read yet.
        const before = store.getState().thread.find(({ id }) => id === sourceId)?.parentId ?? parentId;
        if (before === null) onError(new Error('What nobody asked cannot be answered again'));
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
