/** Writes an answer as a draft to its end, whether its page reads or not. */
import { ContextError } from '../errors.js';
import { modelMessages } from '../files/model-files.js';
import type { UIMessage } from '../messages/ui-message.js';
import { XmlRenderer } from '../renderers/xml-renderer.js';
import type { SaveResult } from '../save-result.js';
import type { DraftData } from '../store/draft-data.js';
import { toBranchInfo, type MessageData } from '../store/store-data.js';
import type { LeftDraft } from '../streaming/left-draft.js';
import { MessageTooLargeError } from '../streaming/message-limit.js';
import { MessageParts } from '../streaming/message-parts.js';
import { MessageStream } from '../streaming/message-stream.js';
import { maskedText, RefusedRequest } from './answer-error.js';
import { DEFAULT_IDLE_TIMEOUT_SECONDS, type AnswerCall, type AnswerContext } from './answer-options.js';
import { eventStream } from './event-stream.js';
import { endAllAbandoned } from './open-drafts.js';
import { uiChunksOf } from './message-source-chunks.js';
import type { ChunkSource } from '../streaming/chunk-source.js';
import { toUIMessages } from '../messages/decoded-path.js';

export type AskSource = (call: AnswerCall) => Promise<ChunkSource<unknown>>;

/** The members of a draft that make it this request's own: another request that starts the same is refused. */
export function claimOf({ idleTimeout = DEFAULT_IDLE_TIMEOUT_SECONDS }: AnswerContext['options']) {
  return { idleTimeout, metadata: { writer: crypto.randomUUID() } };
}

export function newDraft(draft: DraftData): LeftDraft {
  return { draft, chunks: [], parts: new MessageParts() };
}

/**
 * Starts the draft of an answer to a question, and claims it.
 * @param id of the answer
 * @returns null when another writer has claimed the id
 */
export async function claimAnswer(
  context: AnswerContext,
  { id, question, branch }: { id: string; question: string; branch: string | undefined },
): Promise<LeftDraft | null> {
  const { store, chatId, options } = context;
  const claim = claimOf(options);
  const start = () => store.startDraft(chatId, { ...claim, id, parentId: question, branch });
  try {
    const draft = await start().catch(async (error: unknown) => {
      if (!isDraftLimit(error)) throw error;
      // Drafts of dead processes count towards the limit.
      if (await endAllAbandoned(context)) return start();
      throw new RefusedRequest(429, 'TOO_MANY_DRAFTS', 'The chat has too many open answers: wait for one to end', {
        'retry-after': String(claim.idleTimeout),
      });
    });
    return newDraft(draft);
  } catch (error) {
    if (error instanceof ContextError && error.code === 'ALREADY_EXISTS') return null;
    throw error;
  }
}

/** Whether a chat has as many drafts as it may have. */
function isDraftLimit(error: unknown): boolean {
  return error instanceof ContextError && error.code === 'INVALID_INPUT' && error.path === 'chatId';
}

/**
 * Calls the model, and streams its answer to the page and into the draft.
 * @param left the draft, with the chunks that it has
 * @param path the messages to the question, root first
 */
export function writeAnswer(
  context: AnswerContext,
  ask: AskSource,
  left: LeftDraft,
  path: Promise<MessageData[]>,
  headers: Record<string, string> = {},
): Response {
  const { options, store, chatId } = context;
  const { idleTimeout = DEFAULT_IDLE_TIMEOUT_SECONDS, waitUntil } = options;
  const { draft, parts, chunks } = left;
  const { id, name } = draft;
  const length = chunks.length;
  const stop = new AbortController();
  const { signal } = stop;
  const open = async () => {
    const answer = length === 0 ? [] : [parts.message(id, name)];
    const saved = await modelMessages<UIMessage>(
      store,
      { tools: toolsWithContent(options), ...options.files },
      await path,
    );
    const messages = [...saved, ...structuredClone(answer)];
    const systemPrompt = await promptOf(context);
    const { request } = context;
    return ask({ request, chatId, systemPrompt, messages, signal });
  };
  const finish = async (data: unknown): Promise<SaveResult> => {
    const saved = await store.finishDraft(chatId, id, { data });
    return { ...saved, branch: toBranchInfo(saved.branch) };
  };
  const source = uiChunksOf(open, id, signal);
  let failure: string | undefined;
  const failureOf = (error: unknown) =>
    (failure ??= error instanceof MessageTooLargeError ? error.message : maskedText(error, options.onError));
  const place = { store, chatId, id, name, length, parts, idleTimeout, staysOpen: true };
  const stream = new MessageStream<unknown>({ ...place, source, receivesStop: true, stop, failureOf, finish });
  return eventStream(({ send, end }) => {
    const write = async () => {
      try {
        for await (const chunk of stream) send(chunk);
        end();
        const saved = await stream.saved;
        if (saved !== null) await giveTitle(context, [...(await path), ...saved.messages]);
      } catch (error) {
        send({ type: 'error', errorText: failureOf(error) });
        end();
      }
    };
    const work = write();
    waitUntil?.(work);
  }, headers);
}

async function promptOf({ request, chatId, options }: AnswerContext): Promise<string> {
  const { fragments = [], renderer = new XmlRenderer() } = options;
  const given = typeof fragments === 'function' ? await fragments({ request, chatId }) : fragments;
  return given.length === 0 ? '' : renderer.render(given);
}

/** The names of tools that convert their outputs for the model themselves. */
function toolsWithContent({ tools = {} }: AnswerContext['options']): string[] {
  return Object.keys(tools).filter((name) => tools[name]?.toModelOutput !== undefined);
}

const MAX_TITLE_CHARACTERS = 60;

/**
 * Names an untitled chat. A failure is logged, and changes nothing of the answer.
 * @param path the messages to the answer, root first
 */
async function giveTitle({ store, chatId, options }: AnswerContext, path: MessageData[]): Promise<void> {
  const { titles = false, onError } = options;
  if (titles === false) return;
  try {
    if ((await store.getChat(chatId))?.title != null) return;
    const messages = toUIMessages<UIMessage>(path);
    const title = titles === true ? firstLine(messages) : await titles(messages);
    if (title !== '') await store.updateChat(chatId, { title });
  } catch (error) {
    maskedText(error, onError);
  }
}

function firstLine(messages: readonly UIMessage[]): string {
  const text = messages.flatMap(({ parts }) => parts).find((part) => part.type === 'text')?.['text'];
  const [line = ''] = typeof text === 'string' ? text.trim().split('\n') : [];
  const characters = [...line];
  return characters.length <= MAX_TITLE_CHARACTERS
    ? line
    : `${characters.slice(0, MAX_TITLE_CHARACTERS - 1).join('')}…`;
}
