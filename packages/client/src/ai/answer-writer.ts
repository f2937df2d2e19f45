/** Writes the chunks of one model request into a draft, and forwards them to the page. */
import type { UIMessage, UIMessageChunk } from 'ai';
import { ClosedError, ParleyError } from '@parley/transport/errors';
import { MAX_MESSAGE_BYTES } from '@parley/transport/server-limits';
import type { DraftWriter } from '../drafts/draft-writer.js';
import { addChunk, assembleMessage, type ReadMessages } from './assemble-message.js';
import { hasContent, isWaiting, storable, type Chunk } from './ui-message.js';

/** An answer that waits for outputs or approvals of the page. */
export interface Turn<Message> {
  writer: DraftWriter;
  /** The whole message so far. */
  message: Message;
}

export interface AnswerWriting<Message extends UIMessage> {
  read: ReadMessages;
  source: ReadableStream<UIMessageChunk>;
  writer: DraftWriter;
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
  let page: ReadableStreamDefaultController<UIMessageChunk> | undefined;
  const output = new ReadableStream<UIMessageChunk>({
    start: (controller) => void (page = controller),
    cancel: () => void (page = undefined),
  });
  write(writing, (chunk) => page?.enqueue(chunk)).then(
    () => page?.close(),
    (reason: unknown) => page?.error(reason),
  );
  return output;
}

async function write<Message extends UIMessage>(
  { read, source, writer, from, signal, waiting }: AnswerWriting<Message>,
  show: (chunk: UIMessageChunk) => void,
): Promise<void> {
  const chunks: Chunk[] = [];
  const take = (chunk: UIMessageChunk) => {
    writer.append(chunk);
    addChunk(chunks, chunk);
    show(chunk);
  };
  let failure: unknown;
  try {
    for await (const chunk of chunksUntil(source, signal)) {
      // The message has the id of the draft in all pages.
      const start = { ...(chunk.type === 'start' && chunk), type: 'start' as const, messageId: writer.id };
      if (chunks.length === 0) take(start);
      if (chunk.type !== 'start') take(chunk);
    }
  } catch (reason) {
    if (!signal.aborted) failure = reason;
  }
  const { message, isBroken } = await assembleMessage(read, writer.id, chunks, from);
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
  if (isIncomplete && !hasContent(message)) await writer.discard().catch(() => {});
  else {
    const { data, isCut } = storable(message, writer.id, isIncomplete);
    await writer.finish({ data });
    if (isCut) failure ??= new ParleyError(TOO_LARGE, 'INVALID_INPUT');
  }
  if (failure !== undefined) throw asError(failure);
}

const TOO_LARGE = `The answer is larger than the ${MAX_MESSAGE_BYTES} bytes of a message: its end is not saved`;

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** The error of an append; undefined after a requested stop. */
function failureOf({ signal }: DraftWriter): unknown {
  return signal.aborted && !(signal.reason instanceof ClosedError) ? signal.reason : undefined;
}

async function* chunksUntil<Chunk>(source: ReadableStream<Chunk>, signal: AbortSignal): AsyncGenerator<Chunk> {
  const reader = source.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
