/** The body of a POST: bounded, and checked before it is used. */
import { invalid } from '../errors.js';
import { isUIMessage, type UIMessage } from '../messages/ui-message.js';
import { isRecord } from '../record.js';
import { RefusedRequest } from './answer-error.js';
import type { AnswerHandlerOptions } from './answer-options.js';

const DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024;
const DEFAULT_MAX_MESSAGES = 1_000;
/** How long a body may take to arrive. */
const BODY_TIMEOUT_MS = 30_000;

export interface AnswerBody {
  /** The id of the chat. */
  id: string | undefined;
  /** The id of a message that is not the last one; that of the last one is in `last`. Oldest first. */
  earlierIds: string[];
  last: UIMessage;
  isRegeneration: boolean;
  /** The message to answer again, if the page names it. */
  againId: string | undefined;
  /** The branch that the page shows. */
  branch: string | undefined;
  /** The reaction to a branch with newer messages than the page's. */
  onConflict: 'FORK' | 'REJECT';
}

/** @throws RefusedRequest, ContextError */
export async function readBody(request: Request, options: AnswerHandlerOptions): Promise<AnswerBody> {
  const { maxBodyBytes = DEFAULT_MAX_BODY_BYTES, maxMessages = DEFAULT_MAX_MESSAGES } = options;
  const body = parse(await readText(request, maxBodyBytes));
  const { id, messages, trigger = 'submit-message', branch, messageId, onConflict = 'FORK' } = body;
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > maxMessages) {
    throw invalid(`messages must have 1 to ${maxMessages} elements`, 'messages');
  }
  if (trigger !== 'submit-message' && trigger !== 'regenerate-message') {
    throw invalid('trigger must be submit-message or regenerate-message', 'trigger');
  }
  if (onConflict !== 'FORK' && onConflict !== 'REJECT')
    throw invalid('onConflict must be FORK or REJECT', 'onConflict');
  const isRegeneration = trigger === 'regenerate-message';
  const used = isRegeneration ? messages.slice(0, messages.findLastIndex(isOfUser) + 1) : messages;
  const last: unknown = used.at(-1);
  if (!isUIMessage(last) || last.id === '' || last.role === 'system') {
    throw invalid('the last message must be a UIMessage of a user or an assistant, with an id', 'messages');
  }
  return {
    id: optionalText(id, 'id'),
    earlierIds: used
      .slice(0, -1)
      .flatMap((each: unknown) => (isRecord(each) && typeof each['id'] === 'string' ? [each['id']] : [])),
    last,
    isRegeneration,
    againId: optionalText(messageId, 'messageId'),
    branch: optionalText(branch, 'branch'),
    onConflict,
  };
}

function isOfUser(message: unknown): boolean {
  return isRecord(message) && message['role'] === 'user';
}

function optionalText(value: unknown, path: string): string | undefined {
  if (value == null) return undefined;
  if (typeof value !== 'string' || value === '') throw invalid(`${path} must be a text that is not empty`, path);
  return value;
}

function parse(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    if (isRecord(body)) return body;
  } catch {
    // Refused below.
  }
  throw invalid('the body must be a JSON object');
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  // Browsers send other types across origins without a preflight.
  if (request.headers.get('content-type')?.startsWith('application/json') !== true) {
    throw new RefusedRequest(415, 'UNSUPPORTED_MEDIA_TYPE', 'the content-type must be application/json');
  }
  const tooLarge = () => new RefusedRequest(413, 'TOO_LARGE', `the body must have at most ${maxBytes} bytes`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const reader = request.body?.getReader();
  if (reader === undefined) return '';
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort(new RefusedRequest(408, 'TIMEOUT', `the body must arrive within ${BODY_TIMEOUT_MS} ms`));
    void reader.cancel().catch(() => {});
  }, BODY_TIMEOUT_MS);
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new RefusedRequest(400, 'INCOMPLETE_BODY', 'the body ended before its last byte');
      });
      late.signal.throwIfAborted();
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        void reader.cancel().catch(() => {});
        throw tooLarge();
      }
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    clearTimeout(timer);
  }
}
