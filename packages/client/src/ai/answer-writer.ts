/** Writes the chunks of one model request into a draft, and forwards them to the page. */
import type { UIMessage, UIMessageChunk } from 'ai';
import { failureText } from '@parley/transport/answer-parts';
import { ClosedError, ParleyError } from '@parley/transport/errors';
import { MAX_MESSAGE_BYTES } from '@parley/transport/server-limits';
import type { DraftRequests } from '../drafts/draft-requests.js';
import { addChunk, assembleMessage, type ReadMessages } from './assemble-message.js';
import { asError, isEmpty, isWaiting, storable, type Chunk } from './ui-message.js';

/** An answer that waits for outputs or approvals of the page. */
export interface Turn<Message> {
  writer: DraftRequests;
  /** The whole message so far. */
  message: Message;
}

export interface AnswerWriting<Message extends UIMessage> {
  read: ReadMessages;
  source: ReadableStream<UIMessageChunk>;
  writer: DraftRequests;
  /** The turn that the chunks continue. */
  from: Message | undefined;
  /** Aborted when the user stops the answer, or the draft cannot be extended. */
  signal: AbortSignal;
  /** Called when the draft stays open, before the stream ends. */
  waiting(turn: Turn<Message>): void;
}

/**
 * @returns the chunks. The stream closes after the answer is saved, and errors when saving fails. A page that stops
 * reading does not stop the answer.
 */
export function writeAnswer<Message extends UIMessage>(
  writing: AnswerWriting<Message>,
): ReadableStream<UIMessageChunk> {
  let hasLeft = false;
  return new ReadableStream<UIMessageChunk>({
    async start(controller) {
      await write(writing, (chunk) => hasLeft || controller.enqueue(chunk));
      if (!hasLeft) controller.close();
    },
    cancel: () => void (hasLeft = true),
  });
}

async function write<Message extends UIMessage>(
  { read, source, writer, from, signal, waiting }: AnswerWriting<Message>,
  show: (chunk: UIMessageChunk) => unknown,
): Promise<void> {
  const chunks: Chunk[] = [];
  const take = (chunk: UIMessageChunk) => {
    writer.append(chunk);
    addChunk(chunks, chunk);
    show(chunk);
  };
  let failure: unknown;
  try {
    const reader = source.pipeThrough(new TransformStream<UIMessageChunk, UIMessageChunk>(), { signal }).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const chunk = next.value;
      // The message has the id of the draft in all pages.
      const start = { ...(chunk.type === 'start' && chunk), type: 'start' as const, messageId: writer.id };
      if (chunks.length === 0) take(start);
      if (chunk.type !== 'start') take(chunk);
    }
  } catch (reason) {
    if (!signal.aborted) {
      failure = reason;
      // For other pages: this one gets the error after the save.
      const chunk = { type: 'error', errorText: failureText(asError(reason).message) };
      writer.append(chunk);
      addChunk(chunks, chunk);
    }
  }
  const { message, isBroken, failure: text } = await assembleMessage(read, writer.id, chunks, from);
  const isStopped = signal.aborted && chunks.at(-1)?.type !== 'finish';
  if (isStopped) failure = failureOf(writer);
  let isIncomplete = isStopped || isBroken || failure !== undefined || chunks.length === 0;
  if (!isIncomplete && isWaiting(message)) {
    try {
      await writer.flush();
      return waiting({ writer, message });
    } catch (reason) {
      failure = reason;
      isIncomplete = true;
    }
  }
  if (isIncomplete && isEmpty(message)) await writer.discard().catch(() => {});
  else {
    const { data, isCut } = storable(message, writer.id, isIncomplete, text);
    await writer.finish({ data });
    if (isCut) failure ??= new ParleyError(TOO_LARGE, 'INVALID_INPUT');
  }
  if (failure !== undefined) throw asError(failure);
}

const TOO_LARGE = `The answer is larger than the ${MAX_MESSAGE_BYTES} bytes of a message: its end is not saved`;

/** The error of an append; undefined after a requested stop. */
function failureOf({ signal }: DraftRequests): unknown {
  return signal.aborted && !(signal.reason instanceof ClosedError) ? signal.reason : undefined;
}
