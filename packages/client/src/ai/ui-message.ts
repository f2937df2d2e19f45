/** The UIMessage parts of the AI SDK, 5 to 7, that affect how an answer is saved. */
import { MAX_MESSAGE_BYTES } from '@parley/transport/server-limits';
import type { UIMessage, UIMessageChunk } from 'ai';

/** The members that all versions have in common. */
export interface Part {
  type: string;
  state?: string;
  text?: string;
  toolCallId?: string;
  input?: unknown;
  output?: unknown;
  errorText?: string;
  rawInput?: unknown;
  inputEncoding?: unknown;
  providerExecuted?: boolean;
  approval?: { id: string; approved?: boolean; reason?: string };
}

/** A chunk of the UI message stream. */
export interface Chunk {
  readonly type: string;
  readonly [member: string]: unknown;
}

const CALL_WITHOUT_OUTPUT = 'The answer ended before the tool call.';
const OPEN_CALL_STATES = ['input-streaming', 'input-available', 'approval-requested', 'approval-responded'];

export const partsOf = ({ parts }: UIMessage) => parts as Part[];

/** The chunk as the types of the installed AI SDK declare it; the SDK itself checks it. */
export const toSdk = (chunk: Chunk) => chunk as unknown as UIMessageChunk;

/** A stream of given chunks. */
export function streamOf(chunks: readonly Chunk[]): ReadableStream<UIMessageChunk> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(toSdk(chunk));
      controller.close();
    },
  });
}

/** Whether a part is more than the start of a step or an empty text. */
export function hasContent(message: UIMessage): boolean {
  return partsOf(message).some(({ type, text }) => type !== 'step-start' && text !== '');
}

/** Whether a tool call of the message needs an output or an approval of the page. */
export function isWaiting(message: UIMessage): boolean {
  return partsOf(message).some(
    ({ toolCallId, state, providerExecuted }) =>
      toolCallId !== undefined &&
      (state === 'approval-requested' || (state === 'input-available' && providerExecuted !== true)),
  );
}

/**
 * Returns the message to save: no part is streaming. An incomplete message is marked in its metadata, and its open
 * tool calls become errors, because models reject calls without a result.
 */
function endedMessage(message: UIMessage, id: string, isIncomplete: boolean): UIMessage {
  const parts = partsOf(message).map((part) => {
    const { toolCallId, state = '' } = part;
    if (toolCallId === undefined) return state === 'streaming' ? { ...part, state: 'done' } : part;
    return state === 'input-streaming' || (isIncomplete && OPEN_CALL_STATES.includes(state)) ? endedCall(part) : part;
  });
  const { metadata } = message;
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  const status = { ...(isObject ? metadata : metadata !== undefined && { metadata }), status: 'incomplete' };
  return { ...message, id, parts, ...(isIncomplete && { metadata: status }) } as UIMessage;
}

function endedCall({ approval, rawInput: _, inputEncoding: __, ...call }: Part): Part {
  const { input = {} } = call;
  const approved = approval?.approved === true && { approval };
  return { ...call, ...approved, input, state: 'output-error', errorText: CALL_WITHOUT_OUTPUT };
}

/** The chunks of the page's outputs and approvals that a draft does not contain. */
export function givenByPage(stored: UIMessage, shown: UIMessage): Chunk[] {
  const known = new Map(partsOf(stored).map((part) => [part.toolCallId, part.state]));
  return partsOf(shown).flatMap(({ toolCallId, state, output, errorText, approval }): Chunk[] => {
    const before = toolCallId === undefined ? undefined : known.get(toolCallId);
    if (before !== 'input-available' && before !== 'approval-requested') return [];
    if (state === 'output-available') return [{ type: 'tool-output-available', toolCallId, output }];
    if (state === 'output-error') return [{ type: 'tool-output-error', toolCallId, errorText }];
    if (state !== 'approval-responded' || before !== 'approval-requested') return [];
    const { id: approvalId, approved, reason } = approval ?? {};
    return [{ type: 'tool-approval-response', approvalId, approved, ...(reason !== undefined && { reason }) }];
  });
}

/**
 * Returns the input of the mutation. A message that is too large becomes incomplete, with its last texts truncated.
 * @param id the id of the message in the chat
 */
export function storable(message: UIMessage, id: string, isIncomplete: boolean): { data: UIMessage; isCut: boolean } {
  const data = endedMessage(message, id, isIncomplete);
  if (bytesOf(data) <= MAX_MESSAGE_BYTES) return { data, isCut: false };
  const cut = endedMessage(message, id, true);
  const parts = partsOf(cut).map((part) => ({ ...part }));
  Object.assign(cut, { parts });
  for (const part of parts.toReversed()) {
    for (let over = 1; part.text && (over = bytesOf(cut) - MAX_MESSAGE_BYTES) > 0;) {
      // A character has up to 6 bytes as JSON. Half a surrogate pair is dropped.
      part.text = part.text.slice(0, -Math.ceil(over / 6)).replace(/[\ud800-\udbff]$/, '');
    }
  }
  return { data: cut, isCut: true };
}

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
