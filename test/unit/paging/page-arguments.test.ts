import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { readLimit, readPage } from '../../../src/graphql/pages/page-arguments.js';

const asWritten = (cursor: string, argument: string) => `${argument} ${cursor}`;

function refusal(read: () => unknown): GraphQLError {
  try {
    read();
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
  throw new Error('the arguments were not refused');
}

describe('the arguments of a list', () => {
  it('default to the first 20, also for null', () => {
    const nothing = { first: 20, last: null, after: null, before: null };
    expect(readPage({}, asWritten)).toEqual(nothing);
    expect(readPage({ first: null, last: null, after: null, before: null }, asWritten)).toEqual(nothing);
  });

  it('have no default first with last', () => {
    expect(readPage({ last: 5 }, asWritten)).toEqual({ first: null, last: 5, after: null, before: null });
  });

  it('decode both cursors with their argument names', () => {
    expect(readPage({ after: 'x', before: 'y' }, asWritten)).toMatchObject({ after: 'after x', before: 'before y' });
    expect(readPage({ after: '' }, asWritten)).toMatchObject({ after: 'after ' });
  });

  it('range from 0 to 1000', () => {
    expect(readPage({ first: 0 }, asWritten).first).toBe(0);
    expect(readPage({ first: 1000 }, asWritten).first).toBe(1000);
    expect(readPage({ last: 1000 }, asWritten).last).toBe(1000);
  });

  it.each([
    ['first', { first: -1 }],
    ['first', { first: 1001 }],
    ['last', { last: -1 }],
    ['last', { last: 1001 }],
    ['first and last', { first: 1, last: 1 }],
    ['first and last', { first: 0, last: 0 }],
  ])('are refused with the name %s: %j', (name, args) => {
    const error = refusal(() => readPage(args, asWritten));
    expect(error.extensions['code']).toBe('BAD_USER_INPUT');
    expect(error.message.startsWith(name)).toBe(true);
  });
});

describe('the limit of a chain', () => {
  it('may be any number from 0, or missing', () => {
    expect([readLimit(0), readLimit(2_000_000_000), readLimit(null), readLimit(undefined)]).toEqual([
      0,
      2_000_000_000,
      null,
      null,
    ]);
  });

  it('must not be negative', () => {
    const error = refusal(() => readLimit(-1));
    expect(error.extensions['code']).toBe('BAD_USER_INPUT');
    expect(error.message).toMatch(/limit.*-1/);
  });
});
