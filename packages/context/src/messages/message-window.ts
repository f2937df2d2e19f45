/** Selects the newest messages that fit into a model's context window. */
import { invalid } from '../errors.js';
import { isRecord } from '../record.js';
import { checkCount } from '../counts.js';

export interface WindowOptions {
  /**
   * Keeps the newest messages up to this many tokens, and starts at a message of the user if one fits. A tool's result stays with
   * its call. At least 1.
   * @default all messages
   */
  maxTokens?: number | undefined;
  /** Keeps at most this many of the newest messages, with the same start. At least 1. @default all messages */
  lastMessages?: number | undefined;
  /**
   * Counts the tokens of a text, as the tokenizer of a model does.
   * @default one token for each four bytes of UTF-8
   */
  countTokens?: ((text: string) => number) | undefined;
  /**
   * Puts the newest summary of the branch in place of the messages that do not fit: see `saveSummary`. The other summaries are left
   * out. No summary is used when all messages fit, or when the newest message does not fit beside it.
   * @default summaries are messages like others
   */
  summaries?: boolean | undefined;
}

/** The type of a message that represents all messages before it. */
export const SUMMARY_TYPE = 'summary';

/** Tokens of a file, which no text shows; images have 85 to 1,600 in common models. */
const TOKENS_PER_FILE = 1_000;
/** A string of JSON that is no name: the content of a file, or a reference to one. They are not text. */
const FILE = /(?<!\\)"(?:data:|parley:file:)[^"\\]*(?:\\.[^"\\]*)*"(?!:)/g;

/** Tokens of the role and the separators of a message. */
const TOKENS_PER_MESSAGE = 4;

const estimatedTokens = (text: string): number => Math.ceil(utf8Length(text) / 4);

/** Counts without a copy of the text: a message can have 100,000 parts. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let n = 0; n < text.length; n++) {
    const code = text.charCodeAt(n);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    // The other half of the pair is one of its four bytes.
    if ((text.codePointAt(n) ?? 0) > 0xffff) n++;
  }
  return bytes;
}

/**
 * The tokens of a system prompt and messages, each in the form for a model.
 * @throws ContextError that names a wrong option
 */
export function tokensOf(
  { countTokens = estimatedTokens }: WindowOptions,
  systemPrompt: string,
  messages: readonly unknown[],
): number {
  if (typeof countTokens !== 'function') throw invalid('countTokens must be a function', 'countTokens');
  let files = 0;
  const withoutFile = () => {
    files++;
    return '""';
  };
  const texts = messages
    .flatMap((message) =>
      isRecord(message) && Array.isArray(message['parts']) ? message['parts'].map(contentOf) : [message],
    )
    .map((content) => {
      if (typeof content === 'string') return content;
      return (JSON.stringify(content) as string | undefined)?.replace(FILE, withoutFile) ?? '';
    });
  const tokens = [systemPrompt, ...texts].reduce((sum, text) => (text === '' ? sum : sum + countTokens(text)), 0);
  return tokens + files * TOKENS_PER_FILE + messages.length * TOKENS_PER_MESSAGE;
}

/** The content of a part that a model receives. */
function contentOf(part: unknown): unknown {
  if (!isRecord(part)) return part;
  if (typeof part['text'] === 'string') return part['text'];
  const { type: _type, state: _state, toolCallId: _id, providerMetadata: _metadata, ...content } = part;
  return content;
}

/** The newest messages that fit. */
export interface Kept {
  /** Their number. */
  messages: number;
  /** The number of newest messages of the branch from the oldest of them on: with the summaries among them. */
  span: number;
}

/** Takes messages from the newest to older ones, as long as they fit. */
export class MessageWindow {
  readonly #options: WindowOptions;
  /** Newest first. `span` counts the message, and all newer ones with the passed ones. */
  readonly #taken: { name: string; tokens: number; span: number }[] = [];
  #span = 0;
  #tokens = 0;
  #isFull = false;

  /** @throws ContextError that names a wrong option */
  constructor(options: WindowOptions) {
    const { maxTokens, lastMessages } = options;
    if (maxTokens !== undefined) checkCount(maxTokens, 'maxTokens', 1);
    if (lastMessages !== undefined) checkCount(lastMessages, 'lastMessages', 1);
    this.#options = options;
  }

  /** Whether an older message did not fit. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Passes a message that is no part of the window. */
  pass(): void {
    this.#span++;
  }

  /**
   * @param tokensOfMessage counts its tokens, if they are limited
   * @returns false if it does not fit; then no older message does
   * @throws ContextError if not even the newest message fits
   */
  takeOlder(name: string, tokensOfMessage: () => number): boolean {
    const { maxTokens, lastMessages = Infinity } = this.#options;
    const tokens = maxTokens === undefined ? 0 : tokensOfMessage();
    const isTooLong = maxTokens !== undefined && this.#tokens + tokens > maxTokens;
    if (isTooLong && this.#taken.length === 0) {
      const text = `maxTokens is ${maxTokens}, but the newest message alone has about ${tokens} tokens`;
      throw invalid(text, 'maxTokens');
    }
    this.#isFull ||= isTooLong || this.#taken.length === lastMessages;
    if (this.#isFull) return false;
    this.#tokens += tokens;
    this.#taken.push({ name, tokens, span: ++this.#span });
    return true;
  }

  /**
   * The newest messages to keep: all, if the oldest one fitted.
   * @throws ContextError if the newest messages are results of tools whose call does not fit
   */
  kept(): Kept {
    if (!this.#isFull) return { messages: this.#taken.length, span: this.#span };
    const kept = this.#keptFrom(this.#taken);
    if (kept !== null) return kept;
    const option = this.#taken.length === this.#options.lastMessages ? 'lastMessages' : 'maxTokens';
    throw invalid(`${option} is too small for the newest result of a tool and its call`, option);
  }

  /** The newest messages that fit beside this one; null for none. */
  keptBeside(tokensOfMessage: () => number): Kept | null {
    const { maxTokens = Infinity } = this.#options;
    let left = maxTokens === Infinity ? Infinity : maxTokens - tokensOfMessage();
    const end = this.#taken.findIndex(({ tokens }) => (left -= tokens) < 0);
    return this.#keptFrom(end === -1 ? this.#taken : this.#taken.slice(0, end));
  }

  /** Up to a message of the user, or else to any but the result of a tool. */
  #keptFrom(taken: readonly { name: string; span: number }[]): Kept | null {
    const last = taken.findLastIndex(({ name }) => name === 'user');
    const index = last >= 0 ? last : taken.findLastIndex(({ name }) => name !== 'tool');
    const oldest = taken[index];
    return oldest === undefined ? null : { messages: index + 1, span: oldest.span };
  }
}

/** A saved message as the window reads it. */
interface SavedMessage {
  readonly name: string;
  readonly type: string;
  readonly data: unknown;
}

/** The messages of a model call. */
export interface WindowResult<Saved, Waiting> {
  /** The summary in place of the omitted messages. */
  summary: Saved | null;
  saved: Saved[];
  waiting: Waiting[];
  /** The number of oldest messages left out. */
  omittedMessages: number;
}

/**
 * Selects the messages of a conversation that fit.
 * @param saved the messages of the branch, root first
 * @param waiting the unsaved messages that follow, decoded
 * @throws ContextError that names a wrong option
 */
export function withinWindow<Saved extends SavedMessage, Waiting extends { name: string; message: unknown }>(
  options: WindowOptions,
  saved: readonly Saved[],
  waiting: readonly Waiting[],
): WindowResult<Saved, Waiting> {
  const isLeftOut = ({ type }: SavedMessage) => options.summaries === true && type === SUMMARY_TYPE;
  const window = new MessageWindow(options);
  const tokens = (message: unknown) => () => tokensOf(options, '', [message]);
  for (const { name, message } of waiting.toReversed()) window.takeOlder(name, tokens(message));
  for (const each of saved.toReversed()) {
    if (window.isFull) break;
    if (isLeftOut(each)) window.pass();
    else window.takeOlder(each.name, tokens(each.data));
  }
  const summary = window.isFull ? saved.findLast(isLeftOut) : undefined;
  const beside = summary && window.keptBeside(tokens(summary.data));
  const { span } = beside ?? window.kept();
  const omittedMessages = saved.length + waiting.length - span;
  return {
    summary: (beside && summary) ?? null,
    saved: saved.slice(omittedMessages).filter((each) => !isLeftOut(each)),
    waiting: waiting.slice(Math.max(0, omittedMessages - saved.length)),
    omittedMessages,
  };
}
