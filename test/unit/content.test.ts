import { expect, it } from 'vitest';
import { readContent } from '../../src/conversation/saving/content.js';
import { InvalidInputError } from '../../src/conversation/errors.js';

// GraphQL refuses them before; the context library in the server's process does not.
it.each([[{}], [{ text: null }], [{ data: null }], [{ text: null, data: null }], [{ text: 'a', data: 1 }]])(
  'the content %j is refused, because it is not exactly one of text and data',
  (content) => {
    expect(() => readContent(content, 'messages.2.content')).toThrow(
      expect.objectContaining({ constructor: InvalidInputError, path: 'messages.2.content' }),
    );
  },
);
