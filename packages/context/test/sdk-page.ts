/** useChat of any AI SDK version without React, and scripted models of that version. */
import type * as Sdk6 from 'ai';

export type Sdk = typeof Sdk6;
export type Page = Sdk6.AbstractChat<Sdk6.UIMessage>;

/** A page with a chat. */
export function openPage(sdk: Sdk, init: Sdk6.ChatInit<Sdk6.UIMessage> & { api: string }): Page {
  const { api, messages = [], ...rest } = init;
  class PlainChat extends sdk.AbstractChat<Sdk6.UIMessage> {}
  const state: Sdk6.ChatState<Sdk6.UIMessage> = {
    status: 'ready',
    error: undefined,
    messages,
    pushMessage: (message) => void (state.messages = [...state.messages, message]),
    popMessage: () => void (state.messages = state.messages.slice(0, -1)),
    replaceMessage: (index, message) => void (state.messages = state.messages.with(index, message)),
    snapshot: (value) => structuredClone(value),
  };
  return new PlainChat({ transport: new sdk.DefaultChatTransport({ api }), ...rest, state });
}

/** The content of a model call: a text, or a tool call. */
export type Turn = string | { toolName: string; toolCallId: string; input: object };

/** The parts of the provider's stream, which version 5 and later have alike but for the usage and the reason to finish. */
export function streamParts(turn: Turn, usage: object, reason: (name: string) => unknown): object[] {
  const parts =
    typeof turn === 'string'
      ? [
          { type: 'text-start', id: '1' },
          ...Array.from(turn.matchAll(/\S+\s*/g), ([delta]) => ({ type: 'text-delta', id: '1', delta })),
          { type: 'text-end', id: '1' },
        ]
      : [{ type: 'tool-call', ...turn, input: JSON.stringify(turn.input) }];
  const finishReason = reason(typeof turn === 'string' ? 'stop' : 'tool-calls');
  return [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage }];
}
