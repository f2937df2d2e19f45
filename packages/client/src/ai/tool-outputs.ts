/** The outputs and approvals of client-side tools that a page has given and the server has not stored yet. */
import type { UIMessage } from 'ai';

/** As much of a tool part as is read here. */
interface ToolPart {
  type: string;
  toolName?: string;
  toolCallId: string;
  input?: unknown;
  state: string;
  providerExecuted?: boolean;
  approval?: { id: string };
}
interface Output {
  state: string;
  output?: unknown;
  errorText?: string;
}

/** Whether a tool part waits for an output or an approval from a page. */
function isWaiting({ state, providerExecuted }: ToolPart): boolean {
  return state === 'approval-requested' || (state === 'input-available' && providerExecuted !== true);
}

/** Whether a turn can go on only after a page has given an output or an approval. */
export const waitsForPage = (message: UIMessage): boolean => toolParts(message).some(isWaiting);

/** The tool calls that wait for an output from a page, as `onToolCall` takes them. */
export function waitingCalls(message: UIMessage): { toolCallId: string; toolName: string; input: unknown }[] {
  return toolParts(message)
    .filter((part) => part.state === 'input-available' && isWaiting(part))
    .map(({ toolCallId, type, toolName = type.replace(/^tool-/, ''), input }) => ({ toolCallId, toolName, input }));
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

  /** @returns the message with what was given; the same object until more is given */
  patch = <Message extends UIMessage>(message: Message): Message => {
    if (this.#outputs.size + this.#approvals.size === 0) return message;
    let patched = this.#patched.get(message);
    if (patched === undefined) {
      const parts = message.parts.map((part) => ('toolCallId' in part ? this.#patchPart(part as ToolPart) : part));
      const isSame = parts.every((part, n) => part === message.parts[n]);
      patched = isSame ? message : { ...message, parts };
      this.#patched.set(message, patched);
    }
    return patched as Message;
  };

  #patchPart(part: ToolPart): ToolPart {
    const output = this.#outputs.get(part.toolCallId);
    if (output !== undefined && isWaiting(part)) return { ...part, ...output };
    const approval = this.#approvals.get(part.approval?.id ?? '');
    if (approval === undefined || part.state !== 'approval-requested') return part;
    return { ...part, state: 'approval-responded', approval: { ...approval, id: part.approval?.id ?? '' } };
  }
}

function toolParts({ parts }: UIMessage): ToolPart[] {
  return parts.filter((part) => 'toolCallId' in part);
}
