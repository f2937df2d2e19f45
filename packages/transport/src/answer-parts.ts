/** The parts of a UIMessage of the AI SDK, 5 to 7, that decide how an answer is saved. */

/** The members that all versions have in common. */
export interface AnswerPart {
  type: string;
  state?: unknown;
  text?: unknown;
  input?: unknown;
  providerExecuted?: unknown;
  approval?: unknown;
  rawInput?: unknown;
  inputEncoding?: unknown;
}

export const isTool = ({ type }: AnswerPart): boolean => /^(dynamic-tool$|tool-)/.test(type);

/** Whether a part is more than the start of a step or an empty text. */
export const hasContent = ({ type, text }: AnswerPart): boolean => type !== 'step-start' && text !== '';

/** Whether a tool call needs an output or an approval of a page. */
export function waitsForClient(part: AnswerPart): boolean {
  const { state, providerExecuted } = part;
  return isTool(part) && (state === 'approval-requested' || (state === 'input-available' && providerExecuted !== true));
}

/**
 * The parts of an ended message: none of them is streaming.
 * @param isBroken whether open tool calls get no output: each becomes an error, because models refuse calls without a
 * result
 */
export function endedParts<Part extends AnswerPart>(parts: readonly Part[], isBroken: boolean): Part[] {
  return parts.map((part) => {
    const { state } = part;
    if (!isTool(part)) return state === 'streaming' ? { ...part, state: 'done' } : part;
    return state === 'input-streaming' || (isBroken && isOpen(state)) ? endedCall(part) : part;
  });
}

/** Whether a tool call has neither an output nor an error. */
const isOpen = (state: unknown): boolean => /^(input|approval)-/.test(String(state));

function endedCall<Part extends AnswerPart>({ approval, rawInput: _, inputEncoding: __, ...call }: Part): Part {
  const isApproved = (approval as { approved?: unknown } | undefined)?.approved === true;
  const ended = { input: call.input ?? {}, state: 'output-error', errorText: 'The answer ended before the tool call.' };
  return { ...call, ...(isApproved && { approval }), ...ended } as unknown as Part;
}

const MAX_FAILURE_CHARACTERS = 1_000;

/** The text of an error that ended an answer, for an error chunk and the message: the beginning of a longer one. */
export const failureText = (text: string): string =>
  text.slice(0, MAX_FAILURE_CHARACTERS).replace(/[\ud800-\udbff]$/, '');

/**
 * A message with `"status": "incomplete"` in its metadata.
 * @param failure the text of the error that ended it
 * @param more further metadata
 */
export function markIncomplete<Message extends { metadata?: unknown }>(
  message: Message,
  failure?: string,
  more?: object,
): Message {
  const { metadata } = message;
  const isObject = typeof metadata === 'object' && !Array.isArray(metadata);
  const before = isObject ? metadata : metadata !== undefined && { metadata };
  const reason = failure === undefined ? more : { failure: failureText(failure), ...more };
  return { ...message, metadata: { ...before, status: 'incomplete', ...reason } };
}
