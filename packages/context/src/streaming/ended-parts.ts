import type { UIMessagePart } from '../messages/ui-message.js';
import { isRecord } from '../record.js';
import { isTool } from './tool-parts.js';

const ENDED_CALL = 'The answer ended before the tool call.';
/** States of a tool call without an output and an error. */
const OPEN_STATES: readonly unknown[] = [
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
];

/** Whether a tool call needs an output or an approval of a page. */
export function waitsForClient(part: UIMessagePart): boolean {
  const { state, providerExecuted } = part;
  if (!isTool(part)) return false;
  return state === 'approval-requested' || (state === 'input-available' && providerExecuted !== true);
}

/**
 * The parts of an ended message: none of them is streaming.
 * @param isBroken whether open tool calls get no output: each becomes an error, because models refuse calls without a
 * result
 */
export function endedParts(parts: readonly UIMessagePart[], isBroken: boolean): UIMessagePart[] {
  return parts.map((part) => {
    const { state } = part;
    if (!isTool(part)) return state === 'streaming' ? { ...part, state: 'done' } : part;
    return state === 'input-streaming' || (isBroken && OPEN_STATES.includes(state)) ? endedCall(part) : part;
  });
}

function endedCall({ approval, rawInput: _, inputEncoding: __, ...call }: UIMessagePart): UIMessagePart {
  const approved = isRecord(approval) && approval['approved'] === true ? { approval } : {};
  return { ...call, ...approved, input: call['input'] ?? {}, state: 'output-error', errorText: ENDED_CALL };
}
