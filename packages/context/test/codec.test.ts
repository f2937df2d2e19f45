/** Codecs convert between stored data and messages for a model. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assistant, isUIMessage, message, messageCodec, system, user, type UIMessage } from '../src/exports/context.js';

/** Any JSON value that can be a message. */
const stored = fc.jsonValue().filter((value) => value !== null);

/** A UIMessage with parts of every kind, and of kinds that the AI SDK does not know. */
const uiMessage = fc.record(
  {
    id: fc.string(),
    role: fc.constantFrom('system' as const, 'user' as const, 'assistant' as const),
    metadata: fc.jsonValue(),
    parts: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('text'), text: fc.string(), state: fc.constantFrom('streaming', 'done') }),
        fc.record({ type: fc.constant('reasoning'), text: fc.string() }),
        fc.record({ type: fc.constant('file'), mediaType: fc.string(), url: fc.string() }),
        fc.record({
          type: fc.string().map((name) => `tool-${name}`),
          toolCallId: fc.string(),
          state: fc.constantFrom('input-streaming', 'input-available', 'output-available', 'output-error'),
          input: fc.jsonValue(),
          output: fc.jsonValue(),
        }),
        fc.record({ type: fc.constant('step-start') }),
        fc.record({ type: fc.string().map((name) => `data-${name}`), data: fc.jsonValue() }),
        fc.record({ type: fc.string() }),
      ),
      { maxLength: 4 },
    ),
  },
  { requiredKeys: ['id', 'role', 'parts'] },
) as fc.Arbitrary<UIMessage>;

describe('a codec encodes decoded data to the original, and decodes encoded data to the original', () => {
  test('for any stored value', () => {
    fc.assert(
      fc.property(fc.oneof(stored, uiMessage), (value) => {
        const copy = structuredClone(value);
        const codec = messageCodec(value);
        expect(messageCodec(codec.decode()).encode()).toEqual(copy);
        expect(messageCodec(codec.encode()).decode()).toEqual(copy);
      }),
    );
  });

  test('for messages of any shape except texts, which become UIMessages', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          stored.filter((value) => typeof value !== 'string'),
          uiMessage,
        ),
        (value) => {
          const copy = structuredClone(value);
          const { codec } = message(value);
          expect(codec?.decode()).toEqual(copy);
          expect(message(codec?.decode()).codec?.encode()).toEqual(copy);
        },
      ),
    );
  });

  test('for UIMessages', () => {
    fc.assert(
      fc.property(uiMessage, (value) => {
        expect(isUIMessage(value)).toBe(true);
        expect(message(value)).toMatchObject({ name: value.role, ...(value.id !== '' && { id: value.id }) });
        for (const make of [user, assistant, system]) {
          const { codec } = make(value);
          expect(make(codec?.decode() as UIMessage).codec?.encode()).toEqual(value);
          expect(make(value, { id: 'other' }).codec?.encode()).toEqual({ ...value, id: 'other' });
          if (value.id !== '') expect(make(value, { id: value.id }).codec?.decode()).toBe(value);
        }
      }),
    );
  });

  test('for texts', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (text, id) => {
        const { codec } = user(text, { id });
        expect(codec?.decode()).toEqual({ id, role: 'user', parts: [{ type: 'text', text }] });
        expect(message(codec?.decode()).codec?.encode()).toEqual(codec?.encode());
      }),
    );
  });
});
