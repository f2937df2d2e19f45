/** The output of a model, for messages that the AI SDK assembles. */
import fc from 'fast-check';

/** JSON that a database stores unchanged. */
const json = fc.jsonValue({ depthSize: 'small' }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const providerMetadata = fc.option(fc.constant({ openai: { itemId: 'msg_1' } }), { nil: undefined });

/** The stream's ids are internal to the SDK: each piece has a different one. */
type Piece = (id: string) => { type: string; [field: string]: unknown }[];

const streamed = (kind: 'text' | 'reasoning'): fc.Arbitrary<Piece> =>
  fc.record({ deltas: fc.array(text, { maxLength: 3 }), providerMetadata }).map(({ deltas, ...more }) => (id) => [
    { type: `${kind}-start`, id, ...more },
    ...deltas.map((delta) => ({ type: `${kind}-delta`, id, delta })),
    { type: `${kind}-end`, id },
  ]);

const toolCall: fc.Arbitrary<Piece> = fc
  .record({ input: json, output: json, errorText: text, fails: fc.boolean(), dynamic: fc.boolean() })
  .map(({ input, output, errorText, fails, dynamic }) => (toolCallId) => [
    { type: 'tool-input-start', toolCallId, toolName: 'weather', dynamic },
    { type: 'tool-input-delta', toolCallId, inputTextDelta: JSON.stringify(input) },
    { type: 'tool-input-available', toolCallId, toolName: 'weather', input, dynamic },
    fails
      ? { type: 'tool-output-error', toolCallId, errorText, dynamic }
      : { type: 'tool-output-available', toolCallId, output, dynamic },
  ]);

const single: fc.Arbitrary<Piece> = fc.oneof(
  text.map((title): Piece => (sourceId) => [{ type: 'source-url', sourceId, url: 'https://example.org/a', title }]),
  text.map((title): Piece => (sourceId) => [{ type: 'source-document', sourceId, mediaType: 'text/plain', title }]),
  fc.constant<Piece>(() => [{ type: 'file', url: 'data:text/plain;base64,eA==', mediaType: 'text/plain' }]),
  json.map((data): Piece => (id) => [{ type: 'data-progress', id, data }]),
  fc.dictionary(fc.constantFrom('model', 'tokens'), json).map((messageMetadata): Piece => () => [
    { type: 'message-metadata', messageMetadata },
  ]),
);

/** The chunks of one message, of several steps. */
export const messageChunks = fc
  .record({
    messageId: fc.uuid(),
    steps: fc.array(fc.array(fc.oneof(streamed('text'), streamed('reasoning'), toolCall, single), { maxLength: 4 }), {
      maxLength: 3,
    }),
  })
  .map(({ messageId, steps }) => [
    { type: 'start', messageId },
    ...steps.flatMap((pieces, step) => [
      { type: 'start-step' },
      ...pieces.flatMap((piece, index) => piece(`${step}-${index}`)),
      { type: 'finish-step' },
    ]),
    { type: 'finish' },
  ]);
