/** Subscriptions share an execution if all their future results are the same. */
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { dropUndeclared } from '../../src/http/limits/undeclared-variables.js';
import { operationKey } from '../../src/http/subscriptions/operation-key.js';

const ANN = { userId: 'ann', isAdmin: false };
const DOCUMENT = 'subscription S($chatId: ID!, $after: Int) { chatEvents(chatId: $chatId, after: $after) { seq } }';

const key = (query = DOCUMENT, variableValues: Record<string, unknown> = { chatId: 'c' }, viewer = ANN) => {
  const operation = { document: parse(query), variableValues };
  dropUndeclared(operation);
  return operationKey(viewer, operation);
};

describe('two subscriptions share an execution', () => {
  it('when viewer, document and variables are the same', () => {
    expect(key()).toBe(key());
    expect(key(DOCUMENT, { chatId: 'c', unused: 1 })).toBe(key());
  });

  it('with any start position', () => {
    expect(key(DOCUMENT, { chatId: 'c', after: 5 })).toBe(key(DOCUMENT, { chatId: 'c', after: 9 }));
    expect(key(DOCUMENT, { chatId: 'c', after: 5 })).toBe(key());
  });

  it.each([
    ['viewer', key(DOCUMENT, { chatId: 'c' }, { userId: 'bob', isAdmin: false })],
    ['rights of the viewer', key(DOCUMENT, { chatId: 'c' }, { userId: 'ann', isAdmin: true })],
    ['document', key(DOCUMENT.replace('seq', 'seq chatId'))],
    ['variables', key(DOCUMENT, { chatId: 'd' })],
  ])('not when they differ in the %s', (_, other) => {
    expect(other).not.toBe(key());
  });

  it('not when one uses the default of a variable, and the other null', () => {
    const query =
      'subscription ($n: Int = 1) { chatEvents(chatId: "c") { ... on ChatUpdated { chat { branches(first: $n) { totalCount } } } } }';
    expect(key(query, {})).not.toBe(key(query, { n: null }));
    expect(key(query, { n: 1 })).not.toBe(key(query, { n: null }));
  });

  it('not when the variable of `after` is also used elsewhere', () => {
    const twice = `subscription ($chatId: ID!, $after: Int) {
      chatEvents(chatId: $chatId, after: $after) { ...E }
    }
    fragment E on ChatUpdated { chat { branches(first: $after) { totalCount } } }`;
    expect(key(twice, { chatId: 'c', after: 5 })).not.toBe(key(twice, { chatId: 'c', after: 9 }));
  });

  it('not when they run different operations of one document', () => {
    const document = parse(
      'subscription A { chatEvents(chatId: "c") { seq } } subscription B { chatEvents(chatId: "c") { chatId } }',
    );
    expect(operationKey(ANN, { document, operationName: 'A' })).not.toBe(
      operationKey(ANN, { document, operationName: 'B' }),
    );
  });
});
