/** Streams an answer that another request, or another process, writes. */
import { isTool } from '@parley/transport/answer-parts';
import { ContextError, orNull } from '../errors.js';
import { isRecord } from '../record.js';
import type { DraftData } from '../store/draft-data.js';
import { maskedText } from './answer-error.js';
import type { AnswerContext } from './answer-options.js';
import { eventStream, type EventSink } from './event-stream.js';
import { uiChunksOf } from './message-source-chunks.js';
import { endAbandoned } from './open-drafts.js';
import { isUIMessage, type UIMessagePart } from '../messages/ui-message.js';

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
  let isAbandoned = false;
  for await (const update of store.followDraft(chatId, id, { after, signal })) {
    const wasAbandoned = isAbandoned;
    isAbandoned = update.type === 'abandoned';
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
        // Without an error, the question would have no answer, and its page nothing to retry.
        if (wasAbandoned) throw new ContextError('UNAVAILABLE', 'The writer of the answer ended before its first word');
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

/** @param id of the message in the graph */
function chunksOfMessage(id: string, message: unknown): object[] {
  const { parts, metadata } = isUIMessage(message) ? message : { parts: [], metadata: undefined };
  return [
    { type: 'start', messageId: id, ...(metadata !== undefined && { messageMetadata: metadata }) },
    ...parts.flatMap((part, index) => chunksOfPart(part, String(index))),
    { type: 'finish' },
  ];
}

function chunksOfPart(part: UIMessagePart, id: string): object[] {
  const { type, text, providerMetadata } = part;
  const provided = providerMetadata == null ? {} : { providerMetadata };
  switch (type) {
    case 'step-start':
      return [{ type: 'start-step' }];
    case 'text':
    case 'reasoning':
      return [
        { type: `${type}-start`, id, ...provided },
        { type: `${type}-delta`, id, delta: text },
        { type: `${type}-end`, id },
      ];
    default:
      return isTool(part) ? chunksOfTool(part) : [part];
  }
}

function chunksOfTool(part: UIMessagePart): object[] {
  const { toolCallId, state, input, rawInput, output, errorText, providerExecuted, approval } = part;
  const isDynamic = part.type === 'dynamic-tool';
  const toolName = isDynamic ? part['toolName'] : part.type.slice('tool-'.length);
  const common = {
    toolCallId,
    ...(providerExecuted != null && { providerExecuted }),
    ...(isDynamic && { dynamic: true }),
  };
  const call = { type: 'tool-input-available', toolName, input: input ?? rawInput ?? {}, ...common };
  const { id: approvalId } = (approval ?? {}) as { id?: string };
  const asked = approvalId === undefined ? [] : [{ type: 'tool-approval-request', approvalId, toolCallId }];
  switch (state) {
    case 'output-available':
      return [call, ...asked, { type: 'tool-output-available', output, ...common }];
    case 'output-error':
      return [call, ...asked, { type: 'tool-output-error', errorText, ...common }];
    case 'output-denied':
      return [call, ...asked, { type: 'tool-output-denied', toolCallId }];
    default:
      return [call, ...asked];
  }
}
