import { describe, expect, it } from 'vitest';
import { isSameMessage, readContent, type MessageContent } from '../../src/conversation/saving/content.js';
import { InvalidInputError } from '../../src/conversation/errors.js';
import type { Message } from '../../src/conversation/model.js';
import { UNSET_MESSAGE_COLUMNS } from '../../src/conversation/tables.js';

const draft = (content: MessageContent, name = 'user', type = 'message') => ({
  ...UNSET_MESSAGE_COLUMNS,
  name,
  type,
  dataFor: readContent(content, 'content'),
});

/** A message in its saved form. */
function saved(content: MessageContent, name = 'user', type = 'message'): Message {
  const data = draft(content, name, type).dataFor('m1', name);
  const place = { chatId: 'c', parentId: null, depth: 0, seq: 1, siblingIndex: 0 };
  return { ...UNSET_MESSAGE_COLUMNS, ...place, id: 'm1', name, type, data, createdAt: 0 };
}

const fromJson = (text: string): MessageContent => ({ data: JSON.parse(text) as unknown });

describe('the content of a message', () => {
  it('is saved as a UI message with its own id and role when it is text', () => {
    const dataFor = readContent({ text: 'say "hi"\n' }, 'content');
    expect(JSON.parse(dataFor('m7', 'assistant'))).toEqual({
      id: 'm7',
      role: 'assistant',
      parts: [{ type: 'text', text: 'say "hi"\n' }],
    });
  });

  it('is saved unchanged when it is data', () => {
    const data = { id: 'another', role: 'robot', n: 1.5, parts: null };
    expect(readContent({ data }, 'content')('m7', 'user')).toBe(JSON.stringify(data));
  });

  it.each([
    ['text', { text: '' }],
    ['data', { data: '' }],
    ['data', { data: 0 }],
    ['data', { data: false }],
  ])('may be an empty %s: %j', (_, content) => {
    expect(() => readContent(content, 'content')).not.toThrow();
  });

  it.each([[{}], [{ text: null }], [{ data: null }], [{ text: null, data: null }], [{ text: 'a', data: 1 }]])(
    'is refused as %j, which is not exactly one of the two',
    (content) => {
      expect(() => readContent(content, 'messages.2.content')).toThrow(
        expect.objectContaining({ constructor: InvalidInputError, path: 'messages.2.content' }),
      );
    },
  );

  it('may have at most one mebibyte', () => {
    const text = 'x'.repeat(1024 * 1024 - 2);
    for (const key of ['text', 'data'] as const) {
      expect(() => readContent({ [key]: text }, 'content')).not.toThrow();
      expect(() => readContent({ [key]: `${text}x` }, 'content')).toThrow(
        expect.objectContaining({ path: `content.${key}` }),
      );
    }
  });
});

describe('saving a message again', () => {
  it('is a retry when name, type and content are the same', () => {
    expect(isSameMessage(saved({ text: 'a' }), draft({ text: 'a' }))).toBe(true);
    expect(isSameMessage(saved({ text: 'a' }), draft({ text: 'b' }))).toBe(false);
    expect(isSameMessage(saved({ text: 'a' }), draft({ text: 'a' }, 'assistant'))).toBe(false);
    expect(isSameMessage(saved({ data: 'a' }), draft({ data: 'a' }, 'assistant'))).toBe(false);
    expect(isSameMessage(saved({ text: 'a' }), draft({ text: 'a' }, 'user', 'note'))).toBe(false);
  });

  it.each([
    ['keys in another order', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['numbers in another spelling', '{"n":100}', '{"n":1.0e2}'],
    ['letters in another spelling', '["é"]', '["\\u00e9"]'],
    ['a member __proto__', '{"__proto__":{"a":1},"b":2}', '{"b":2,"__proto__":{"a":1}}'],
    ['a negative zero', '[0]', '[-0]'],
  ])('is a retry with %s', (_, one, other) => {
    expect(isSameMessage(saved(fromJson(one)), draft(fromJson(other)))).toBe(true);
  });

  it.each([
    ['elements in another order', '[1,2]', '[2,1]'],
    ['a number as text', '{"n":1}', '{"n":"1"}'],
    ['a member more', '{"a":1}', '{"a":1,"b":null}'],
    ['a member __proto__ that differs', '{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
    ['an array in place of an object', '{}', '[]'],
    ['true in place of 1', '[1]', '[true]'],
  ])('is an edit with %s', (_, one, other) => {
    expect(isSameMessage(saved(fromJson(one)), draft(fromJson(other)))).toBe(false);
  });

  it('is a retry when the text is sent as its saved UI message', () => {
    const message = saved({ text: 'a' });
    expect(isSameMessage(message, draft(fromJson(message.data)))).toBe(true);
    const uiMessage = (id: string) => ({ data: { parts: [{ text: 'a', type: 'text' }], role: 'user', id } });
    expect(isSameMessage(message, draft(uiMessage('m1')))).toBe(true);
    expect(isSameMessage(message, draft(uiMessage('m2')))).toBe(false);
    expect(isSameMessage(saved(uiMessage('m1')), draft({ text: 'a' }))).toBe(true);
  });
});
