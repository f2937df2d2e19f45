/** The input of a model call, which resolve, estimate and inspect read. */
import { checkFilesOptions, modelMessages } from '../files/model-files.js';
import type { ContextFragment } from '../fragments/fragment.js';
import { toUIMessages } from '../messages/decoded-path.js';
import { tokensOf, withinWindow, type WindowResult } from '../messages/message-window.js';
import { decodeWaiting, encodeWaiting } from './pending-list.js';
import type { DecodedMessage } from '../messages/pending-message.js';
import {
  sourceMessage,
  withSources,
  type RenderedSource,
  messagesPerSource,
  renderSource,
} from '../messages/source-messages.js';
import type { UIMessage } from '../messages/ui-message.js';
import type { WaitingMessage } from './waiting-message.js';
import { messageNotFound, type ContextStore } from '../store/context-store.js';
import type { MessageData } from '../store/store-data.js';
import type { EngineState } from './engine-state.js';
import {
  rendererOf,
  type ContextEstimate,
  type ContextInspection,
  type ResolveOptions,
  type ResolveResult,
} from './resolve-options.js';

export class ModelInput {
  private constructor(
    private readonly state: EngineState,
    private readonly fragments: readonly ContextFragment[],
    private readonly options: ResolveOptions,
    private readonly systemPrompt: string,
    private readonly window: WindowResult<MessageData, DecodedMessage>,
    private readonly sources: readonly RenderedSource[],
  ) {}

  /** @throws ContextError for wrong options, and for messages that save() refuses */
  static async read(
    state: EngineState,
    fragments: readonly ContextFragment[],
    options: ResolveOptions,
    pending: readonly WaitingMessage[],
  ): Promise<ModelInput> {
    const systemPrompt = rendererOf(options).render(fragments);
    checkFilesOptions(options.files);
    const { path, waiting } = await conversation(state, options.parentId, pending);
    const window = withinWindow(options, path, waiting);
    const sources = await readSources(state.store, options, path, window.saved);
    return new ModelInput(state, fragments, options, systemPrompt, window, sources);
  }

  async resolve<Message extends UIMessage>(): Promise<ResolveResult<Message>> {
    const { systemPrompt, options, window } = this;
    const waiting = window.waiting.map(({ message }) => message);
    return {
      systemPrompt,
      messages: await modelMessages<Message>(this.state.store, options.files, this.#saved(), waiting),
      summary: window.summary,
      omittedMessages: window.omittedMessages,
      estimatedTokens: tokensOf(options, systemPrompt, toUIMessages(this.#saved(), waiting)),
    };
  }

  estimate(): ContextEstimate {
    const { summary, messages } = this.#conversation();
    const parts = {
      systemPrompt: tokensOf(this.options, this.systemPrompt, []),
      summary: summary?.tokens ?? 0,
      sources: tokensOf(this.options, '', this.#sourceMessages()),
      messages: messages.reduce((sum, { tokens }) => sum + tokens, 0),
    };
    return { ...parts, total: parts.systemPrompt + parts.summary + parts.sources + parts.messages };
  }

  inspect(): ContextInspection {
    const renderer = rendererOf(this.options);
    const fragments = this.fragments.map((fragment) => ({
      name: fragment.name,
      tokens: tokensOf(this.options, renderer.render([fragment]), []),
    }));
    const sources = this.sources.map(({ messageId, sourceId, tokens }) => ({ messageId, sourceId, tokens }));
    return { fragments, sources, ...this.#conversation(), omittedMessages: this.window.omittedMessages };
  }

  /** The summary and the messages with the tokens of each. */
  #conversation(): Pick<ContextInspection, 'summary' | 'messages'> {
    const { summary, saved, waiting } = this.window;
    const inPath = (message: MessageData) => ({
      id: message.id,
      name: message.name,
      tokens: tokensOf(this.options, '', toUIMessages([message])),
    });
    const unsaved = ({ id, name, message }: DecodedMessage) => ({
      id,
      name,
      tokens: tokensOf(this.options, '', toUIMessages([], [message])),
    });
    return {
      summary: summary && { id: summary.id, tokens: inPath(summary).tokens },
      messages: [...saved.map(inPath), ...waiting.map(unsaved)],
    };
  }

  /** The summary, and the messages after those that it replaces, with their sources. */
  #saved(): Pick<MessageData, 'id' | 'name' | 'data'>[] {
    const { summary, saved } = this.window;
    const list: Pick<MessageData, 'id' | 'name' | 'data'>[] = summary === null ? saved : [summary, ...saved];
    if (this.sources.length === 0) return list;
    return withSources(list, this.sources, (message) => ({ id: message.id, name: message.role, data: message }));
  }

  #sourceMessages(): UIMessage[] {
    const messageIds = [...new Set(this.sources.map(({ messageId }) => messageId))];
    return messageIds.map((id) => sourceMessage(this.sources.filter(({ messageId }) => messageId === id)));
  }
}

/** The messages of the user on the branch and among the pending ones, without those that follow another one. */
export async function countTurns(state: EngineState, pending: readonly WaitingMessage[]): Promise<number> {
  const { path, waiting } = await conversation(state, undefined, pending);
  const names = [...path.filter(({ type }) => type !== 'summary'), ...waiting].map(({ name }) => name);
  return names.filter((name, n) => name === 'user' && names[n - 1] !== 'user').length;
}

/** The saved messages, root first, and the pending ones that follow them: none with a parentId. */
async function conversation(
  { position, store, chatId }: EngineState,
  parentId: string | undefined,
  pending: readonly WaitingMessage[],
): Promise<{ path: MessageData[]; waiting: DecodedMessage[] }> {
  if (parentId !== undefined) {
    const path = await store.getMessageChain(parentId);
    if (path.at(-1)?.chatId !== chatId) throw messageNotFound(parentId);
    return { path, waiting: [] };
  }
  encodeWaiting(pending);
  const { headMessageId } = await position.refresh();
  const path = headMessageId === null ? [] : await store.getMessageChain(headMessageId);
  return { path, waiting: decodeWaiting(path, pending) };
}

/**
 * Renders the sources of messages by sourceTokens, in the order of the store.
 * @param path the whole path, of which `messages` are a part
 * @throws ContextError for a wrong budget
 */
async function readSources(
  store: ContextStore,
  { sourceTokens, ...options }: ResolveOptions,
  path: readonly MessageData[],
  messages: readonly MessageData[],
): Promise<RenderedSource[]> {
  if (sourceTokens === undefined) return [];
  const length = messagesPerSource(sourceTokens);
  if (messages.length === 0) return [];
  const found = await store.getSourcePaths(messages, length);
  // A source is older than its message, so that the common messages are those of the whole path.
  const common = new Set(found.length === 0 ? [] : path.map(({ id }) => id));
  return found.flatMap(({ messageId, sourceId, path: pathToSource }) => {
    const side = pathToSource.filter(({ id }) => !common.has(id));
    return renderSource({ ...options, sourceTokens }, { messageId, sourceId, messages: side }) ?? [];
  });
}
