/** The tool calls of a message, assembled chunk by chunk. */
import { isTool } from '@parley/transport/answer-parts';
import { invalid } from '../errors.js';
import type { UIMessagePart } from '../messages/ui-message.js';
import { isRecord } from '../record.js';
import { parsePartialJson } from './partial-json.js';

export type Chunk = Readonly<Record<string, unknown>> & { readonly type: string };

/** A call so far; the parts of the message have its state only. */
interface Call {
  text: string;
  /** The chunk that started it. */
  start: Chunk;
}

/** Members of a chunk that the part keeps. */
const COPIED_MEMBERS = ['title', 'toolMetadata', 'providerExecuted'];

export class ToolParts {
  readonly #calls = new Map<unknown, Call>();

  constructor(private readonly parts: UIMessagePart[]) {}

  /**
   * Adds a chunk.
   * @returns whether it is of a tool call
   */
  take(chunk: Chunk): boolean {
    switch (chunk.type) {
      case 'tool-input-start':
        this.#calls.set(chunk['toolCallId'], { text: '', start: chunk });
        this.#change(chunk, chunk, { state: 'input-streaming', inputEncoding: chunk['inputEncoding'] });
        return true;
      case 'tool-input-delta':
        this.#grow(chunk);
        return true;
      case 'tool-input-available':
        this.#change(chunk, chunk, { state: 'input-available', input: chunk['input'] });
        return true;
      case 'tool-input-error':
        this.#refuse(chunk);
        return true;
      case 'tool-approval-request':
        this.#ask(chunk);
        return true;
      case 'tool-approval-response':
        this.#approve(chunk);
        return true;
      case 'tool-output-denied':
        this.#called(chunk)['state'] = 'output-denied';
        return true;
      case 'tool-output-available':
        this.#answer(chunk, { state: 'output-available', output: chunk['output'], preliminary: chunk['preliminary'] });
        return true;
      case 'tool-output-error':
        this.#answer(chunk, { state: 'output-error', errorText: chunk['errorText'] });
        return true;
      default:
        return false;
    }
  }

  #grow(chunk: Chunk): void {
    const call = this.#calls.get(chunk['toolCallId']);
    if (call === undefined) throw missing(chunk, 'tool-input-start');
    const { start } = call;
    call.text += String(chunk['inputTextDelta']);
    const inputEncoding = start['inputEncoding'];
    const input = inputEncoding === 'text' ? call.text : parsePartialJson(call.text);
    const described = {
      ...chunk,
      title: start['title'],
      toolMetadata: start['toolMetadata'],
      dynamic: start['dynamic'],
    };
    this.#change(described, start, { state: 'input-streaming', input, rawInput: call.text, inputEncoding });
  }

  /** The input of the model cannot be parsed. */
  #refuse(chunk: Chunk): void {
    const { input, errorText } = chunk;
    const there = this.#inStep(chunk);
    const isDynamic = there === undefined ? Boolean(chunk['dynamic']) : there.type === 'dynamic-tool';
    const call = isDynamic ? { input } : { rawInput: input };
    this.#change({ ...chunk, dynamic: isDynamic, title: undefined }, chunk, {
      state: 'output-error',
      ...call,
      errorText,
    });
  }

  #ask(chunk: Chunk): void {
    const part = this.#called(chunk);
    const { approvalId, approvalDescriptor, signature } = chunk;
    part['state'] = 'approval-requested';
    part['approval'] = {
      id: approvalId,
      ...(approvalDescriptor != null && { descriptor: approvalDescriptor }),
      ...('inputSchemaInput' in chunk && { inputSchemaInput: chunk['inputSchemaInput'] }),
      ...(signature != null && { signature }),
    };
  }

  #approve(chunk: Chunk): void {
    const { approvalId, approved, reason, providerExecuted } = chunk;
    const part = this.parts.findLast((each) => isTool(each) && approvalIdOf(each) === approvalId);
    if (part === undefined) throw missing({ ...chunk, id: approvalId }, 'tool-approval-request');
    part['state'] = 'approval-responded';
    part['approval'] = { ...(part['approval'] as object), approved, ...(reason != null && { reason }) };
    if (providerExecuted != null) part['providerExecuted'] = providerExecuted;
  }

  #answer(chunk: Chunk, answer: Record<string, unknown>): void {
    const part = this.#called(chunk);
    // The AI SDK keeps the unparsed input of known tools as rawInput.
    const rawInput = part.type !== 'dynamic-tool' && answer['state'] === 'output-error' ? part['rawInput'] : undefined;
    const title = part['title'];
    const toolMetadata = chunk['toolMetadata'] ?? part['toolMetadata'];
    setMembers(part, { ...chunk, title, toolMetadata }, { ...answer, input: part['input'], rawInput });
  }

  /** Changes the part of a call in this step, or starts it. */
  #change(chunk: Chunk, { toolName }: Chunk, members: Record<string, unknown>): void {
    const { toolCallId, dynamic } = chunk;
    const isDynamic = Boolean(dynamic);
    let part = this.#inStep(chunk, isDynamic);
    if (part === undefined) {
      part = { type: '', toolCallId };
      this.parts.push(part);
    }
    part.type = isDynamic ? 'dynamic-tool' : `tool-${String(toolName)}`;
    if (isDynamic) part['toolName'] = toolName;
    setMembers(part, chunk, members);
  }

  #inStep({ toolCallId }: Chunk, isDynamic?: boolean): UIMessagePart | undefined {
    const step = this.parts.slice(this.parts.findLastIndex(({ type }) => type === 'step-start') + 1);
    return step.find(
      (part) =>
        isTool(part) &&
        part['toolCallId'] === toolCallId &&
        (isDynamic === undefined || isDynamic === (part.type === 'dynamic-tool')),
    );
  }

  /** The part of a call in this step, or in an earlier one for a late output. */
  #called(chunk: Chunk): UIMessagePart {
    const isCalled = (part: UIMessagePart) => isTool(part) && part['toolCallId'] === chunk['toolCallId'];
    const part = this.#inStep(chunk) ?? this.parts.findLast(isCalled);
    if (part === undefined) throw missing(chunk, 'tool-input-available');
    return part;
  }
}

/** The id of the approval that a tool call waits for or has. */
export function approvalIdOf({ approval }: UIMessagePart): unknown {
  return isRecord(approval) ? approval['id'] : undefined;
}

/** Copies the members of a chunk to a part; input and output that the chunk lacks are removed. */
function setMembers(part: UIMessagePart, chunk: Chunk, members: Record<string, unknown>): void {
  for (const name of ['input', 'output', 'rawInput', 'errorText', 'preliminary', 'inputEncoding'])
    part[name] = undefined;
  Object.assign(part, members);
  for (const name of COPIED_MEMBERS) if (chunk[name] !== undefined) part[name] = chunk[name];
  if (chunk['providerMetadata'] == null) return;
  const isOver = part['state'] === 'output-available' || part['state'] === 'output-error';
  part[isOver ? 'resultProviderMetadata' : 'callProviderMetadata'] = chunk['providerMetadata'];
}

/** The error for a continuation of a part that was not started. */
export function missing({ type, toolCallId, id }: Chunk, before: string): Error {
  return invalid(`A chunk ${type} of ${String(toolCallId ?? id)} came without a ${before} before it`);
}
