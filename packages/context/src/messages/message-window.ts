/** Selects the newest messages that fit into a model's context window. */
import { invalid } from '../errors.js';
import { isRecord } from '../record.js';
import { checkCount } from '../store/counts.js';

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
}

/** Tokens of a file, which no text shows; images have 85 to 1,600 in common models. */
const TOKENS_PER_FILE = 1_000;
/** Tokens of the role and the separators of a message. */
const TOKENS_PER_MESSAGE = 4;

const encoder = new TextEncoder();
const estimatedTokens = (text: string): number => Math.ceil(encoder.encode(text).length / 4);

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
  // Contents of files are not text.
  const withoutFiles = (_key: string, value: unknown) => {
    if (typeof value !== 'string' || !/^(?:data:|parley:file:)/.test(value)) return value;
    files++;
    return '';
  };
  const texts = messages
    .flatMap((message) =>
      isRecord(message) && Array.isArray(message['parts']) ? message['parts'].map(contentOf) : [message],
    )
    .map((content) => (typeof content === 'string' ? content : JSON.stringify(content, withoutFiles)));
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

/** Takes messages from the newest to older ones, as long as they fit. */
export class MessageWindow {
  readonly #options: WindowOptions;
  #taken = 0;
  #tokens = 0;
  #isFull = false;
  /** The numbers of newest messages that begin with one of the user, and with any but the result of a tool. */
  #fromUser = 0;
  #fromAny = 0;

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

  /**
   * @param message the form for a model
   * @returns false if it does not fit; then no older message does
   * @throws ContextError if not even the newest message fits
   */
  takeOlder(name: string, message: unknown): boolean {
    const { maxTokens, lastMessages = Infinity } = this.#options;
    if (maxTokens !== undefined) this.#tokens += tokensOf(this.#options, '', [message]);
    const isTooLong = maxTokens !== undefined && this.#tokens > maxTokens;
    if (isTooLong && this.#taken === 0) {
      const text = `maxTokens is ${maxTokens}, but the newest message alone has about ${this.#tokens} tokens`;
      throw invalid(text, 'maxTokens');
    }
    this.#isFull ||= isTooLong || this.#taken === lastMessages;
    if (this.#isFull) return false;
    this.#taken++;
    if (name === 'user') this.#fromUser = this.#taken;
    if (name !== 'tool') this.#fromAny = this.#taken;
    return true;
  }

  /**
   * The number of newest messages to keep: all, if the oldest one fitted.
   * @throws ContextError if the newest messages are results of tools whose call does not fit
   */
  kept(): number {
    if (!this.#isFull) return this.#taken;
    const kept = this.#fromUser || this.#fromAny;
    if (kept > 0) return kept;
    const option = this.#taken === this.#options.lastMessages ? 'lastMessages' : 'maxTokens';
    throw invalid(`${option} is too small for the newest result of a tool and its call`, option);
  }
}

/** The number of oldest messages that do not fit. */
export function leftOut(
  options: WindowOptions,
  messages: readonly { readonly name: string; readonly message: unknown }[],
): number {
  const window = new MessageWindow(options);
  for (let n = messages.length - 1; n >= 0; n--) {
    const { name, message } = messages[n] as (typeof messages)[number];
    if (!window.takeOlder(name, message)) break;
  }
  return messages.length - window.kept();
}
