/** Outputs and approvals of a page, as chunks of the draft that waits for them. */
import { waitsForClient } from '@parley/transport/answer-parts';
import type { UIMessage, UIMessagePart } from '../messages/ui-message.js';
import { isRecord } from '../record.js';
import { approvalIdOf } from '../streaming/tool-parts.js';

/** The type of the chunk that begins the continuation of a turn; its id identifies the writing request. */
export const TURN_TYPE = 'data-parley-turn';

/**
 * The chunks that a page's message has and the draft still needs, each once.
 * @param waiting the message of the draft
 * @param given the message of the page, of which nothing but outputs and approvals is used
 */
export function clientOutputs(waiting: UIMessage, given: UIMessage): object[] {
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
export function continuedAt(chunks: readonly unknown[]): number {
  const turn = chunks.findLastIndex((chunk) => isRecord(chunk) && chunk['type'] === TURN_TYPE);
  const next = chunks.findIndex((chunk, index) => index > turn && isRecord(chunk) && chunk['type'] === 'start');
  return turn === -1 ? 0 : next === -1 ? chunks.length : next;
}
