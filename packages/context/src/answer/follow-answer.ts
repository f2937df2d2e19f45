/** Streams an answer that another request, or another process, writes. */
import { orNull } from '../errors.js';
import { isRecord } from '../record.js';
import type { DraftData } from '../store/draft-data.js';
import { maskedText } from './answer-error.js';
import type { AnswerContext } from './answer-options.js';
import { eventStream, type EventSink } from './event-stream.js';
import { chunksOfMessage } from './message-chunks.js';
import { uiChunksOf } from './message-source-chunks.js';
import { endAbandoned } from './open-drafts.js';

export interface FollowedAnswer {
  id: string;
  /** How many chunks there are already: a finish among them is no end. @default 0 */
  length?: number;
  /** How many of them the page has. @default 0 */
  after?: number;
}

/** A response with the answer from `after` on: its chunks, or those of its message when they are deleted. */
export function followAnswer(
  context: AnswerContext,
  answer: FollowedAnswer,
  headers?: Record<string, string>,
): Response {
  return eventStream((sink) => void follow(context, answer, sink), headers);
}

async function follow(context: AnswerContext, answer: FollowedAnswer, { send, end, signal }: EventSink): Promise<void> {
  try {
    const chunks = storedChunks(context, answer, signal);
    // A continued turn begins in the middle of its message.
    const shown = (answer.after ?? 0) > 0 ? chunks : uiChunksOf(async () => chunks, answer.id, signal);
    for await (const chunk of { [Symbol.asyncIterator]: () => shown }) send(chunk);
  } catch (error) {
    if (!signal.aborted) send({ type: 'error', errorText: maskedText(error, context.options.onError) });
  } finally {
    end();
  }
}

async function* storedChunks(
  context: AnswerContext,
  { id, length = 0, after = 0 }: FollowedAnswer,
  signal: AbortSignal,
): AsyncGenerator<unknown, void> {
  const { store, chatId } = context;
  let seen = after;
  for await (const update of store.followDraft(chatId, id, { after, signal })) {
    switch (update.type) {
      case 'chunks':
        seen = update.length;
        yield* update.chunks;
        if (seen >= length && isEnd(update.chunks.at(-1))) return;
        break;
      case 'abandoned': {
        const draft = await draftOf(context, id);
        if (draft !== undefined) await endAbandoned(context, draft);
        break;
      }
      case 'finished':
        if (seen === after) yield* chunksOfMessage(id, update.message.data);
        return;
      case 'discarded':
        return;
      case 'stopping':
        break;
    }
  }
}

/** Whether a stream of the AI SDK ends with a chunk. */
function isEnd(chunk: unknown): boolean {
  return isRecord(chunk) && (chunk['type'] === 'finish' || chunk['type'] === 'abort');
}

/** The open draft of an answer. */
export async function draftOf({ store, chatId }: AnswerContext, id: string): Promise<DraftData | undefined> {
  return (await orNull(store.listDrafts(chatId)))?.find((draft) => draft.id === id);
}
