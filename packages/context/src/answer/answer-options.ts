import type { LanguageModel, StopCondition, ToolSet } from 'ai';
import type { ModelFilesOptions } from '../files/model-files.js';
import type { ContextFragment } from '../fragments/fragment.js';
import type { UIMessage } from '../messages/ui-message.js';
import type { ContextRenderer } from '../renderers/context-renderer.js';
import type { ContextStore } from '../store/context-store.js';
import type { ChunkSource } from '../streaming/chunk-source.js';

/** A value for all requests, or a function that is called for each. */
export type PerRequest<T> = T | ((request: Request) => T | Promise<T>);

/** The input of `stream`: one call of a model. */
export interface AnswerCall {
  request: Request;
  chatId: string;
  /** The rendered fragments; empty without fragments. */
  systemPrompt: string;
  /** Root first. The last one is the question, or the answer so far when a turn continues after a tool output or an approval. */
  messages: UIMessage[];
  /** Aborted when a stop is requested, or the draft is lost. */
  signal: AbortSignal;
}

export interface AnswerHandlerOptions {
  /** The store, or a function that opens it with the rights of the request's user; a ContextError UNAUTHENTICATED is a 401. */
  store: PerRequest<ContextStore>;
  /** The owner of new chats, as the store's token names it. @default 'local', the user of a server without authentication */
  userId?: PerRequest<string>;
  /** The model of the AI SDK (`ai` 5, 6 or 7). Either model or stream must be given. */
  model?: LanguageModel | undefined;
  /** Streams an answer without `model`: chunks of the AI SDK's UI message stream, or strings. */
  stream?: ((call: AnswerCall) => ChunkSource<unknown> | Promise<ChunkSource<unknown>>) | undefined;
  /** Tools of the AI SDK; one without `execute` waits for the page's output. */
  tools?: ToolSet | undefined;
  /** When the model's steps end. @default stepCountIs(maxSteps) */
  stopWhen?: StopCondition<ToolSet> | StopCondition<ToolSet>[] | undefined;
  /** @default 20 */
  maxSteps?: number | undefined;
  /** Further options of `streamText`, such as temperature and providerOptions. */
  settings?: Record<string, unknown> | undefined;
  /** The system prompt. @default none */
  fragments?:
    | readonly ContextFragment[]
    | ((call: { request: Request; chatId: string }) => Fragments | Promise<Fragments>);
  /** @default new XmlRenderer() */
  renderer?: ContextRenderer | undefined;
  /** The form and the size of the files in `messages` of a call. @default data URLs of at most 20 MiB */
  files?: ModelFilesOptions | undefined;
  /** Seconds after which an answer of a dead process counts as abandoned, 10 to 3,600. @default 15 */
  idleTimeout?: number | undefined;
  /** The largest body of a request, in bytes. @default 4 MiB */
  maxBodyBytes?: number | undefined;
  /** The largest number of messages in a body. @default 1000 */
  maxMessages?: number | undefined;
  /**
   * Receives each unexpected error, for your log; returns the text that the page shows.
   * @default logs with console.error, and returns 'The answer failed.'
   */
  onError?: ((error: unknown) => string) | undefined;
  /** Keeps the process alive until an answer is saved: `ctx.waitUntil` of Workers, `waitUntil` of @vercel/functions. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /**
   * Names an untitled chat after an answer, from the messages including that. true takes the first line of the first question, at
   * most 60 characters.
   * @default false
   */
  titles?: boolean | ((messages: UIMessage[]) => string | Promise<string>) | undefined;
  /** The id of the chat. @default the `id` of the body; for GET and DELETE, that of the address */
  chatId?: ((request: Request) => string | Promise<string>) | undefined;
}

type Fragments = readonly ContextFragment[];

/** The data of a request that the parts of the handler need. */
export interface AnswerContext {
  request: Request;
  store: ContextStore;
  userId: string;
  chatId: string;
  options: AnswerHandlerOptions;
}

export const DEFAULT_IDLE_TIMEOUT_SECONDS = 15;
