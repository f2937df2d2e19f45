/** A message as the chunks that the AI SDK assembles to it. */
import { isTool } from '@parley/transport/answer-parts';
import { isUIMessage, type UIMessagePart } from '../messages/ui-message.js';

/** @param id of the message in the graph */
export function chunksOfMessage(id: string, message: unknown): object[] {
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
