/** The options of a chat, and its state. */
import type { ChatOnDataCallback, ChatOnToolCallCallback, ChatStatus, ChatTransport, UIMessage } from 'ai';
import type { Files, UploadProgress } from '../files/files.js';
import type { InitialState } from '../store/initial-state.js';
import type { Conflict, OnConflict } from '../store/thread-state.js';
import type { AnswerRouteOptions } from './answer-route.js';

export type SendMessages<Message extends UIMessage> = ChatTransport<Message>['sendMessages'];

/** The argument of `onToolCall`: the tools of `Message` give the type of `input`. */
export type ToolCallOf<Message extends UIMessage> = Parameters<ChatOnToolCallCallback<Message>>[0];

export interface ParleyChatOptions<Message extends UIMessage = UIMessage> {
  /**
   * The route of `createAnswerHandler` of @parley/context.
   * @default '/api/chat'
   */
  api?: string;
  /** Sent with each request to `api`. */
  headers?: AnswerRouteOptions['headers'];
  /** Fields added to the body of each request to `api`. */
  body?: object;
  /** @default 'same-origin' */
  credentials?: RequestCredentials;
  /** @default globalThis.fetch */
  fetch?: typeof globalThis.fetch;
  /**
   * The name of the branch to show, in another store, for a second pane.
   * @default the active branch
   */
  branch?: string;
  /** The state of `readThreadState`: shown until the store is live. */
  initialState?: InitialState | null;
  /**
   * The result of `createFiles` of @parley/client/files, the same object at each render. `messages` then have URLs that elements
   * can show, and attached files are uploaded before their message is sent: messages of the chat contain references only.
   */
  files?: Files;
  /** Called while the files of a message are uploaded, with the bytes of all of them. */
  onUploadProgress?: (progress: UploadProgress) => void;
  /** Writes answers in this page instead of `api`: a function, or a ChatTransport of the AI SDK. An answer ends with its page. */
  answer?: SendMessages<Message> | { sendMessages: SendMessages<Message> };
  /**
   * Called after the page adds a tool output or an approval.
   * @returns whether the turn continues
   */
  sendAutomaticallyWhen?: (options: { messages: Message[] }) => boolean | PromiseLike<boolean>;
  /**
   * The resolution of a conflict, when a message was sent while the branch had newer messages: `append` saves it after these, `fork`
   * on a new branch, `discard` drops it. `append` acts as `ask` if the branch was moved elsewhere.
   * @default the option of the store: `ask`, for a page that shows `conflicts`
   */
  onConflict?: OnConflict | undefined;
  /** Called once for each tool call of an answer that this page requested. */
  onToolCall?: (options: ToolCallOf<Message>) => unknown;
  /** Called once for each `data-*` chunk of an answer that this page requested, also transient ones, which are no part of the message. */
  onData?: ChatOnDataCallback<Message>;
  /** Called when an answer that this page requested is saved: `isError` for one that failed. */
  onFinish?: (options: { message: Message; messages: Message[]; isError: boolean }) => void;
  /** Called with the error of a request, or of an answer that the page showed while any page or server wrote it. */
  onError?: (error: Error) => void;
}

/** The changing state of a chat. */
export interface ChatSnapshot<Message extends UIMessage> {
  /** The shown thread, with the ids of the store. */
  readonly messages: Message[];
  /** `submitted` until an answer has content; `error`, also of an answer that failed, until `retry`, `clearError` or the next message. */
  readonly status: ChatStatus;
  readonly error: Error | undefined;
  /** Messages that were not saved because of newer messages. */
  readonly conflicts: readonly Conflict[];
}
