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
  throw new Error('nothing was refused');
}

describe('the arguments of a list', () => {
  it('mean the first 20 when nothing is said, null included', () => {
    const nothing = { first: 20, last: null, after: null, before: null };
    expect(readPage({}, asWritten)).toEqual(nothing);
    expect(readPage({ first: null, last: null, after: null, before: null }, asWritten)).toEqual(nothing);
  });

  it('add no first where last is given', () => {
    expect(readPage({ last: 5 }, asWritten)).toEqual({ first: null, last: 5, after: null, before: null });
  });

  it('have their cursors read, each under its own name', () => {
    expect(readPage({ after: 'x', before: 'y' }, asWritten)).toMatchObject({ after: 'after x', before: 'before y' });
    expect(readPage({ after: '' }, asWritten)).toMatchObject({ after: 'after ' });
  });

  it('go from 0 to 1000', () => {
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
  ])('are refused by the name of %s: %j', (name, args) => {
    const error = refusal(() => readPage(args, asWritten));
    expect(error.extensions['code']).toBe('BAD_USER_INPUT');
    expect(error.message.startsWith(name)).toBe(true);
  });
});

describe('the limit of a chain', () => {
  it('may be anything from 0 on, or left out', () => {
    expect([readLimit(0), readLimit(2_000_000_000), readLimit(null), readLimit(undefined)]).toEqual([
      0,
      2_000_000_000,
      null,
      null,
    ]);
  });

  it('may not be negative', () => {
    const error = refusal(() => readLimit(-1));
    expect(error.extensions['code']).toBe('BAD_USER_INPUT');
    expect(error.message).toMatch(/limit.*-1/);
  });
});
