/** The rest of an answer that has waited for a tool output or an approval of a page: in the same draft. */
import { waitsForClient } from '@parley/transport/answer-parts';
import { orNull } from '../errors.js';
import type { UIMessage, UIMessagePart } from '../messages/ui-message.js';
import { messageNotFound } from '../store/context-store.js';
import { isRecord } from '../record.js';
import { readDraft, type LeftDraft } from '../streaming/left-draft.js';
import type { AnswerContext } from './answer-options.js';
import { eventStream } from './event-stream.js';
import { followAnswer } from './follow-answer.js';
import { endAbandoned } from './open-drafts.js';
import { writeAnswer, type AskSource } from './write-answer.js';
import { approvalIdOf } from '../streaming/tool-parts.js';

/**
 * Appends the outputs and approvals in the page's message to waiting tool calls, each once, and continues after the last.
 * @throws ContextError NOT_FOUND when there is neither a draft nor a message of this id in the chat
 */
export async function continueTurn(context: AnswerContext, ask: AskSource, given: UIMessage): Promise<Response> {
  const { store, chatId } = context;
  for (;;) {
    const left = await orNull(readDraft(store, chatId, given.id));
    if (left === null) return followEnded(context, given.id);
    const outputs = clientOutputs(left.parts.message(given.id, left.draft.name), given);
    if (outputs.length === 0) return followTurn(context, left);
    if (await appendTurn(context, left, outputs)) return continueDraft(context, ask, left);
  }
}

/** @returns whether these chunks are in the draft, and not those of another request at the same time */
async function appendTurn({ store, chatId }: AnswerContext, left: LeftDraft, outputs: object[]): Promise<boolean> {
  const { draft, chunks, parts } = left;
  const turn = { type: TURN_TYPE, id: crypto.randomUUID(), data: {}, transient: true };
  const mine = [turn, ...outputs];
  for (const output of outputs) parts.take(output);
  const isWaiting = parts.message(draft.id, draft.name).parts.some(waitsForClient);
  if (isWaiting) mine.push({ type: 'finish' });
  await store.appendToDraft(chatId, draft.id, chunks.length, mine);
  for await (const update of store.followDraft(chatId, draft.id, { after: chunks.length })) {
    if (update.type !== 'chunks') continue;
    const [first] = update.chunks;
    if (!isRecord(first) || first['id'] !== turn.id) return false;
    if (isWaiting) parts.take(mine.at(-1));
    chunks.push(...mine);
    return true;
  }
  return false;
}

function continueDraft(context: AnswerContext, ask: AskSource, left: LeftDraft): Response | Promise<Response> {
  const { draft, parts } = left;
  if (parts.isWaiting) {
    return eventStream(({ send, end }) => {
      send({ type: 'start', messageId: draft.id });
      send({ type: 'finish' });
      end();
    });
  }
  const path = draft.parentId === null ? Promise.resolve([]) : context.store.getMessageChain(draft.parentId);
  return writeAnswer(context, ask, left, path);
}

/** A retry: the page receives the chunks after its output. */
async function followTurn(context: AnswerContext, { draft, chunks }: LeftDraft): Promise<Response> {
  await endAbandoned(context, draft);
  const after = continuedAt(chunks);
  return followAnswer(context, { id: draft.id, length: chunks.length, after });
}

async function followEnded(context: AnswerContext, id: string): Promise<Response> {
  const message = await context.store.getMessage(id);
  if (message?.chatId !== context.chatId) throw messageNotFound(id);
  return followAnswer(context, { id });
}

/** The type of the chunk that begins the continuation of a turn; its id identifies the writing request. */
const TURN_TYPE = 'data-parley-turn';

/**
 * The chunks that a page's message has and the draft still needs, each once.
 * @param waiting the message of the draft
 * @param given the message of the page, of which nothing but outputs and approvals is used
 */
function clientOutputs(waiting: UIMessage, given: UIMessage): object[] {
  return waiting.parts.filter(waitsForClient).flatMap((part) => {
    const answer = given.parts.find(({ toolCallId }) => toolCallId !== undefined && toolCallId === part['toolCallId']);
    return answer === undefined ? [] : outputOf(part, answer);
  });
}

function outputOf({ state: waitingState, toolCallId, ...part }: UIMessagePart, answer: UIMessagePart): object[] {
  const { state, output, errorText, approval } = answer;
  if (waitingState === 'approval-requested') {
    const approvalId = approvalIdOf({ ...part });
    if (!isRecord(approval) || approval['id'] !== approvalId || typeof approval['approved'] !== 'boolean') return [];
    const { approved, reason } = approval;
    return [{ type: 'tool-approval-response', approvalId, approved, ...(typeof reason === 'string' && { reason }) }];
  }
  if (state === 'output-available') return [{ type: 'tool-output-available', toolCallId, output: output ?? null }];
  if (state === 'output-error') return [{ type: 'tool-output-error', toolCallId, errorText: String(errorText) }];
  return [];
}

/** How many chunks a draft had when its turn was continued last; 0 in the first request of a turn. */
function continuedAt(chunks: readonly unknown[]): number {
  const turn = chunks.findLastIndex((chunk) => isRecord(chunk) && chunk['type'] === TURN_TYPE);
  const next = chunks.findIndex((chunk, index) => index > turn && isRecord(chunk) && chunk['type'] === 'start');
  return turn === -1 ? 0 : next === -1 ? chunks.length : next;
}
