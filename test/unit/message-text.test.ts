import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messagePreview, messageText } from '../../src/conversation/text/message-text.js';

describe('the text of a message', () => {
  it('is the data itself if that is a string', () => {
    expect(messageText('hello')).toBe('hello');
    expect(messageText('')).toBe('');
  });

  it('is the text part of a UI message', () => {
    expect(messageText({ id: 'm', role: 'user', parts: [{ type: 'text', text: 'hello' }] })).toBe('hello');
  });

  it('is the content of a model message, in parts or in one string', () => {
    expect(messageText({ role: 'user', content: [{ type: 'text', text: 'hello' }] })).toBe('hello');
    expect(messageText({ role: 'user', content: 'hello' })).toBe('hello');
    expect(messageText({ parts: null, content: 'hello' })).toBe('hello');
  });

  it('joins text parts by a blank line, in their order', () => {
    const parts = ['one', 'two\nlines', 'three'].map((text) => ({ type: 'text', text }));
    expect(messageText({ parts })).toBe('one\n\ntwo\nlines\n\nthree');
  });

  it('omits parts without text', () => {
    const parts = [
      { type: 'image', text: 'not shown', url: 'https://example.com' },
      { type: 'text', text: 'seen' },
      { type: 'tool-call', input: { text: 'not shown' } },
      { type: 'text', text: 5 },
      { type: 'text' },
      { text: 'no type' },
      null,
      'loose',
      ['text'],
    ];
    expect(messageText({ parts })).toBe('seen');
  });
});

describe('the preview of a text', () => {
  it('is cut to 50 characters with dots from 51 characters on', () => {
    expect(messagePreview('x'.repeat(50))).toBe('x'.repeat(50));
    expect(messagePreview('x'.repeat(51))).toBe(`${'x'.repeat(50)}...`);
    expect(messagePreview('x'.repeat(100_000))).toBe(`${'x'.repeat(50)}...`);
  });

  it('never splits a character, for any long text', () => {
    const characters = fc.array(fc.constantFrom('x', 'é', '語', '😀', '𝒳'), { maxLength: 120 });
    fc.assert(
      fc.property(characters, (given) => {
        const preview = messagePreview(given.join(''));
        const expected = given.length > 50 ? [...given.slice(0, 50), '.', '.', '.'] : given;
        expect(Array.from(preview)).toEqual(expected);
      }),
    );
  });
});
