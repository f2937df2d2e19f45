/** Assembles a UIMessage from the chunks of a draft. */
import type { UIMessage, UIMessageChunk } from 'ai';
import { asError, partsOf, streamOf, type Chunk } from './ui-message.js';

/** `readUIMessageStream` of `ai`. */
export type ReadMessages = <Message extends UIMessage>(options: {
  message?: Message;
  stream: ReadableStream<UIMessageChunk>;
  onError?: (error: unknown) => void;
}) => AsyncIterable<Message>;

export interface Assembled<Message> {
  message: Message;
  /** Whether the chunks mark the message as incomplete. */
  isBroken: boolean;
  /** The text of their error. */
  failure: string | undefined;
}

/** The members by which adjacent delta chunks are joined: the id of their part, and their text. */
const DELTAS: Readonly<Record<string, readonly [id: string, text: string]>> = {
  'text-delta': ['id', 'delta'],
  'reasoning-delta': ['id', 'delta'],
  'tool-input-delta': ['toolCallId', 'inputTextDelta'],
};

/** Adds a chunk to others. Adjacent deltas are joined, because the AI SDK copies the message for each chunk. */
export function addChunk(chunks: Chunk[], chunk: Chunk): void {
  const last = chunks.at(-1);
  const [id, text] = DELTAS[chunk.type] ?? [];
  const isJoined = id !== undefined && last?.type === chunk.type && last[id] === chunk[id];
  if (!isJoined || text === undefined || chunk['providerMetadata'] !== undefined) chunks.push(chunk);
  else chunks[chunks.length - 1] = { ...last, [text]: String(last[text]) + String(chunk[text]) };
}

/** Converts the chunks of a draft, in order, for the AI SDK: strings become one text part. */
export function chunkReader(id: string): (chunk: unknown) => Chunk[] {
  let hasText = false;
  return (chunk) => {
    if (typeof chunk !== 'string') return [chunk as Chunk];
    const delta = { type: 'text-delta', id: 'text', delta: chunk };
    if (hasText) return [delta];
    hasText = true;
    return [{ type: 'start', messageId: id }, { type: 'text-start', id: 'text' }, delta];
  };
}

/**
 * @param from the message that the chunks continue; a new message by default
 * @returns the message of all chunks
 */
export async function assembleMessage<Message extends UIMessage>(
  read: ReadMessages,
  id: string,
  chunks: readonly Chunk[],
  from?: Message,
): Promise<Assembled<Message>> {
  let message = structuredClone(from) ?? ({ id, role: 'assistant', parts: [] as UIMessage['parts'] } as Message);
  let failure: string | undefined;
  const onError = (error: unknown) => (failure = asError(error).message);
  for (const run of runsOf(chunks)) {
    const [response] = run;
    if (response?.type === 'tool-approval-response') approve(message, response);
    else {
      for await (const next of read({ message, stream: streamOf(run), onError })) message = next;
    }
  }
  const isEnd = ({ type, finishReason }: Chunk) => type === 'abort' || finishReason === 'error';
  return { message, isBroken: failure !== undefined || chunks.some(isEnd), failure };
}

/** Separates approval responses, for which only the AI SDK 7 has a chunk, from the chunks between them. */
function runsOf(chunks: readonly Chunk[]): Chunk[][] {
  const runs: Chunk[][] = [];
  for (const chunk of chunks) {
    const isResponse = chunk.type === 'tool-approval-response';
    const last = runs.at(-1);
    if (isResponse || last === undefined || last[0]?.type === 'tool-approval-response') runs.push([chunk]);
    else last.push(chunk);
  }
  return runs;
}

function approve(message: UIMessage, { approvalId, approved, reason }: Chunk): void {
  for (const part of partsOf(message)) {
    if (part.approval?.id !== approvalId) continue;
    part.state = 'approval-responded';
    Object.assign(part.approval as object, { approved }, reason !== undefined && { reason });
  }
}
