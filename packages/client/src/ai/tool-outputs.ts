/** The page's outputs and approvals of client-side tools that the server has not stored yet. */
import type { ChatRequestOptions, UIMessage } from 'ai';
import { isSame } from '../store/same.js';
import type { ToolCallOf } from './parley-chat-options.js';
import { partsOf, type Part } from './ui-message.js';

interface Output {
  state: string;
  output?: unknown;
  errorText?: string;
}

/** The tool calls that wait for an output from a page, in the form for `onToolCall`. */
export function waitingCalls<Message extends UIMessage>(message: Message): ToolCallOf<Message>['toolCall'][] {
  return partsOf(message).flatMap((part) => {
    const { toolCallId, toolName = part.type.replace(/^tool-/, ''), input } = part as Part & { toolName?: string };
    if (toolCallId === undefined || part.state !== 'input-available' || part.providerExecuted === true) return [];
    const isDynamic = part.type === 'dynamic-tool';
    return [{ toolCallId, toolName, input, ...(isDynamic && { dynamic: true }) } as ToolCallOf<Message>['toolCall']];
  });
}

/** The output of a tool call, or its error. */
export interface GivenOutput {
  tool?: unknown;
  toolCallId: string;
  state?: 'output-available' | 'output-error';
  output?: unknown;
  errorText?: string;
  options?: ChatRequestOptions;
}

/** The answer of a user to the request for an approval. */
export interface ApprovalResponse {
  /** The id of the approval. */
  id: string;
  approved: boolean;
  reason?: string;
  options?: ChatRequestOptions;
}

export class ToolOutputs {
  readonly #outputs = new Map<string, Output>();
  readonly #approvals = new Map<string, object>();
  #patched = new WeakMap<UIMessage, UIMessage>();

  addOutput(toolCallId: string, output: Output): void {
    this.#outputs.set(toolCallId, output);
    this.#patched = new WeakMap();
  }

  addApproval(id: string, approval: object): void {
    this.#approvals.set(id, approval);
    this.#patched = new WeakMap();
  }

  /** @returns the message with the page's outputs; the same object until an output is added */
  patch = <Message extends UIMessage>(message: Message): Message => {
    if (this.#outputs.size + this.#approvals.size === 0) return message;
    let patched = this.#patched.get(message);
    if (patched === undefined) {
      const before = partsOf(message);
      const parts = before.map((part) => this.#patchPart(part));
      patched = isSame(before, parts) ? message : { ...message, parts };
      this.#patched.set(message, patched);
    }
    return patched as Message;
  };

  #patchPart(part: Part): Part {
    const output = this.#outputs.get(part.toolCallId ?? '');
    const { id = '' } = part.approval ?? {};
    const approval = this.#approvals.get(id);
    const isRequested = part.state === 'approval-requested';
    if (output !== undefined && (isRequested || part.state === 'input-available')) return { ...part, ...output };
    if (approval === undefined || !isRequested) return part;
    return { ...part, state: 'approval-responded', approval: { id, ...approval } };
  }
}
