import { invalid } from '../errors.js';
import type { ModelFilesOptions } from '../files/model-files.js';
import type { WindowOptions } from '../messages/message-window.js';
import type { UIMessage } from '../messages/ui-message.js';
import type { ContextRenderer } from '../renderers/context-renderer.js';
import type { MessageData } from '../store/store-data.js';

export interface ResolveOptions extends WindowOptions {
  /** Renders the fragments. */
  renderer: ContextRenderer;
  /**
   * The message that the answer follows, as in `stream`: the messages end there, without the pending ones.
   * @default the head of the branch, followed by the pending messages
   */
  parentId?: string | undefined;
  /**
   * Renders the texts that a saved message draws on, by each of its sources: the newest messages after the common ancestor of the
   * source and the message's parent, as a fragment of at most this many tokens. They are a message of the user before the message
   * that has the sources. maxTokens and lastMessages do not count them. 1 to 100,000, for the newest 32 sources.
   * @default sources are left out
   */
  sourceTokens?: number | undefined;
  /** The form and the size of files. Messages that are not saved yet have no readable files, except in data URLs. */
  files?: ModelFilesOptions | undefined;
}

/** The input of a model call. */
export interface ResolveResult<Message extends UIMessage = UIMessage> {
  /** The rendered fragments. */
  systemPrompt: string;
  /**
   * The messages, root first, as their codecs decode them, without UIMessages that have no parts. A saved UIMessage has the id of
   * its message in the graph. A message of another shape is returned unchanged: `isUIMessage` distinguishes it.
   */
  messages: Message[];
  /** The summary in place of the omitted messages, by `summaries`: the first of the messages. */
  summary: MessageData | null;
  /** The number of oldest messages left out, by maxTokens or lastMessages, with the summaries among them. */
  omittedMessages: number;
  /** The tokens of systemPrompt and messages: about one for each four bytes, or as counted by countTokens. */
  estimatedTokens: number;
}

/** Tokens of a model call: about one for each four bytes, or as counted by countTokens. */
export interface ContextEstimate {
  systemPrompt: number;
  /** 0 without a summary. */
  summary: number;
  /** The rendered sources: 0 without sourceTokens. */
  sources: number;
  messages: number;
  total: number;
}

/** The content of a model call. */
export interface ContextInspection {
  /** With the tokens of each fragment when it is rendered alone. */
  fragments: { name: string; tokens: number }[];
  /** The summary in place of the omitted messages. */
  summary: { id: string; tokens: number } | null;
  /** The rendered sources, with the tokens of each fragment. */
  sources: { messageId: string; sourceId: string; tokens: number }[];
  /** Saved and pending messages, in the order of the conversation. A message without parts has 0 tokens: models do not receive it. */
  messages: { id: string; name: string; tokens: number }[];
  /** The number of oldest messages left out. */
  omittedMessages: number;
}

/** @throws ContextError when the options have no renderer */
export function rendererOf(options: Partial<ResolveOptions> | undefined): ContextRenderer {
  const renderer = options?.renderer as Partial<ContextRenderer> | undefined;
  if (typeof renderer?.render !== 'function') throw invalid('renderer must be a ContextRenderer', 'renderer');
  return renderer as ContextRenderer;
}
