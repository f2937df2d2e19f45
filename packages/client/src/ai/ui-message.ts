/** The UIMessage parts of the AI SDK, 5 to 7, that affect how an answer is saved. */
import { endedParts, hasContent, markIncomplete, waitsForClient } from '@parley/transport/answer-parts';
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
  providerExecuted?: boolean;
  approval?: { id: string; approved?: boolean; reason?: string };
}

/** A chunk of the UI message stream. */
export interface Chunk {
  readonly type: string;
  readonly [member: string]: unknown;
}

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

/** Anything thrown as an error. */
export const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

export const isEmpty = (message: UIMessage): boolean => !partsOf(message).some(hasContent);

/** Whether a tool call of the message needs an output or an approval of the page. */
export const isWaiting = (message: UIMessage): boolean => partsOf(message).some(waitsForClient);

/** The message to save; an incomplete one is marked in its metadata. */
function endedMessage(message: UIMessage, id: string, isIncomplete: boolean, failure?: string): UIMessage {
  const ended = { ...message, id, parts: endedParts(partsOf(message), isIncomplete) } as UIMessage;
  return isIncomplete ? markIncomplete(ended, failure) : ended;
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
 * @param failure the text of the error that ended it
 */
export function storable(
  message: UIMessage,
  id: string,
  isIncomplete: boolean,
  failure?: string,
): { data: UIMessage; isCut: boolean } {
  const data = endedMessage(message, id, isIncomplete, failure);
  if (bytesOf(data) <= MAX_MESSAGE_BYTES) return { data, isCut: false };
  const cut = endedMessage(message, id, true, failure);
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
