/** Valid sequences of chunks in the AI SDK's UI message stream. */
import fc from 'fast-check';

export interface StreamedChunk {
  type: string;
  [field: string]: unknown;
}

const json = fc.jsonValue({ depthSize: 'small' }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
/** Without escapes and exponents: the SDK versions parse truncated ones differently. */
const plain = fc.string({ unit: fc.constantFrom(...'abc xyz,:{}[]'), maxLength: 6 });
const input = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'medium' },
    fc.oneof(plain, fc.nat(5000), fc.constantFrom(true, false, null, 0.25, 12.5)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(plain, fc.oneof(tie('value'), fc.constantFrom(-3, -0.5)), { maxKeys: 3 }),
  ),
})).value;
const said = fc.option(fc.constantFrom({ openai: { itemId: 'a' } }, { openai: { itemId: 'b' } }), { nil: undefined });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** Chunks in a fixed order, which other chunks can interleave. */
type Line = StreamedChunk[];

const streamed = (kind: 'text' | 'reasoning') => (id: string) =>
  fc
    .record({ deltas: fc.array(fc.tuple(text, said), { maxLength: 4 }), first: said, last: said, ends: fc.boolean() })
    .map(({ deltas, first, last, ends }): Line => [
      { type: `${kind}-start`, id, providerMetadata: first },
      ...deltas.map(([delta, providerMetadata]) => ({ type: `${kind}-delta`, id, delta, providerMetadata })),
      ...(ends ? [{ type: `${kind}-end`, id, providerMetadata: last }] : []),
    ]);

const toolCall = (version: 5 | 6) => (toolCallId: string) =>
  fc
    .record({
      input,
      cuts: fc.array(fc.nat(30), { maxLength: 5 }),
      isStreamed: fc.boolean(),
      dynamic: maybe(fc.boolean()),
      providerExecuted: maybe(fc.boolean()),
      title: maybe(text),
      toolMetadata: maybe(fc.constant({ of: 'mcp' })),
      first: said,
      last: said,
      end: fc.constantFrom('none', 'input', 'refused', 'output', 'preliminary', 'error', 'failed', 'asked', 'denied'),
      output: json,
      errorText: text,
    })
    .map(
      ({ input: value, cuts, isStreamed, title, toolMetadata, first, last, end, output, errorText, ...call }): Line => {
        const only6 = version === 6 ? { title, toolMetadata } : {};
        const meta6 = (providerMetadata: unknown) => (version === 6 ? { providerMetadata } : {});
        const { dynamic, providerExecuted } = call;
        const start = { type: 'tool-input-start', toolCallId, toolName: 'weather', ...call, ...only6, ...meta6(first) };
        const whole = JSON.stringify(value);
        const places = [...new Set([0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length])].sort(
          (a, b) => a - b,
        );
        const deltas = places
          .slice(1)
          .map((place, n) => ({ type: 'tool-input-delta', toolCallId, inputTextDelta: whole.slice(places[n], place) }));
        const lines: Line = isStreamed ? [start, ...deltas] : [];
        if (end === 'none') return lines;
        if (end === 'failed') {
          return isStreamed ? [...lines, { type: 'tool-output-error', toolCallId, errorText, dynamic }] : [];
        }
        if (end === 'refused') {
          // Version 5 drops the provider metadata of a call that had started.
          const metadata = version === 6 ? { providerMetadata: last } : {};
          return [
            ...lines,
            {
              type: 'tool-input-error',
              toolCallId,
              toolName: 'weather',
              input: whole,
              errorText,
              dynamic,
              providerExecuted,
              ...(version === 6 && { toolMetadata }),
              ...metadata,
            },
          ];
        }
        lines.push({
          type: 'tool-input-available',
          toolCallId,
          toolName: 'weather',
          input: value,
          ...call,
          ...only6,
          providerMetadata: last,
        });
        const answer = {
          toolCallId,
          dynamic,
          ...(version === 6 ? { toolMetadata, providerMetadata: first, providerExecuted } : {}),
        };
        const available = { type: 'tool-output-available', output, ...answer };
        if (version === 6 && (end === 'asked' || end === 'denied')) {
          lines.push({ type: 'tool-approval-request', approvalId: 'a', toolCallId });
          if (end === 'denied') lines.push({ type: 'tool-output-denied', toolCallId });
        }
        if (end === 'preliminary') lines.push({ ...available, preliminary: true });
        if (end === 'output' || end === 'preliminary') lines.push(available);
        if (end === 'error') lines.push({ type: 'tool-output-error', errorText, ...answer });
        return lines;
      },
    );

const single = (version: 5 | 6) => (id: string) =>
  fc.oneof<fc.Arbitrary<Line>[]>(
    fc
      .record({ title: maybe(text), providerMetadata: said })
      .map((more) => [{ type: 'source-url', sourceId: id, url: 'https://example.org/a', ...more }]),
    fc
      .record({ filename: maybe(text), providerMetadata: said })
      .map((more) => [{ type: 'source-document', sourceId: id, mediaType: 'text/plain', title: 'T', ...more }]),
    // Version 5 does not store the provider metadata of a file.
    said.map((providerMetadata) => [
      {
        type: 'file',
        url: 'data:text/plain;base64,eA==',
        mediaType: 'text/plain',
        ...(version === 6 && { providerMetadata }),
      },
    ]),
    fc
      .record({ data: json, id: maybe(fc.constantFrom('1', '2')), transient: maybe(fc.boolean()) })
      .map((more) => [{ type: 'data-progress', ...more }]),
    fc
      .dictionary(fc.constantFrom('model', 'tokens'), fc.oneof(json, fc.dictionary(fc.constantFrom('in', 'out'), json)))
      .map((messageMetadata) => [{ type: 'message-metadata', messageMetadata }]),
    text.map((errorText) => [{ type: 'error', errorText }]),
    fc.constant([{ type: 'abort' }]),
  );

/** Several sequences at once, like parallel tool calls. */
const interleaved = (lines: readonly Line[], order: readonly number[]): Line => {
  const left = lines.map((line) => [...line]);
  const chunks: Line = [];
  for (const turn of order) {
    const open = left.filter((line) => line.length > 0);
    const chunk = open[turn % Math.max(1, open.length)]?.shift();
    if (chunk !== undefined) chunks.push(chunk);
  }
  return [...chunks, ...left.flat()];
};

/** The chunks of one message, of several steps. */
export function streamedChunks(version: 5 | 6): fc.Arbitrary<StreamedChunk[]> {
  const kinds = [streamed('text'), streamed('reasoning'), toolCall(version), toolCall(version), single(version)];
  const step = fc.record({
    lines: fc
      .array(fc.nat(kinds.length - 1), { maxLength: 4 })
      .chain((chosen) => fc.tuple(...chosen.map((kind, n) => kinds[kind]!(`${kind}-${n}`)))),
    order: fc.array(fc.nat(7), { maxLength: 20 }),
  });
  return fc
    .record({
      steps: fc.array(step, { maxLength: 3 }),
      ends: fc.boolean(),
      messageMetadata: maybe(fc.constant({ model: 'x' })),
    })
    .map(({ steps, ends, messageMetadata }) => [
      { type: 'start', messageId: 'm', messageMetadata },
      ...steps.flatMap(({ lines, order }, n) => [
        { type: 'start-step' },
        ...interleaved(lines, order).map((chunk) =>
          'toolCallId' in chunk ? { ...chunk, toolCallId: `${n}-${String(chunk['toolCallId'])}` } : chunk,
        ),
        { type: 'finish-step' },
      ]),
      ...(ends ? [{ type: 'finish', finishReason: 'stop' }] : []),
    ]);
}
