import { describe, expect, it } from 'vitest';
import { ContextError } from '../src/errors.js';
import { fragment, type ContextFragment } from '../src/fragments/fragment.js';
import { MAX_FRAGMENT_DEPTH, readFragments, Section, type FragmentNode } from '../src/fragments/fragment-tree.js';

/** Sections as pairs of name and values, which are easier to compare. */
function read(...fragments: ContextFragment[]): unknown {
  return shown(readFragments(fragments));
}

function shown(node: FragmentNode): unknown {
  if (node instanceof Section) return { section: node.entries.map(({ name, values }) => [name, ...values.map(shown)]) };
  return Array.isArray(node) ? node.map(shown) : node;
}

/** Anything as data, as JavaScript may give it. */
function hint(data: unknown): ContextFragment {
  return { name: 'hint', data: data as ContextFragment['data'] };
}

/** The error of fragments, and its path. */
function faultOf(...fragments: unknown[]): { message: string; path: string | null } {
  try {
    readFragments(fragments as ContextFragment[]);
  } catch (error) {
    if (!(error instanceof ContextError) || error.code !== 'INVALID_INPUT') throw error;
    return { message: error.message, path: error.path };
  }
  throw new Error('There is nothing wrong');
}

/** Nested fragments. */
function nestedFragments(levels: number): ContextFragment {
  let innermost = fragment('level', 'x');
  for (let level = 1; level < levels; level++) innermost = fragment('level', innermost);
  return innermost;
}

describe('fragments', () => {
  it('may contain one object in several places', () => {
    const shared = { a: [1] };
    const section = { section: [['a', [1]]] };
    expect(read(hint([shared, shared, { shared }]))).toEqual({
      section: [['hint', [section, section, { section: [['shared', section]] }]]],
    });
    const within = fragment('a', 1);
    expect(read(fragment('x', within, within), within)).toEqual({
      section: [
        ['x', { section: [['a', 1, 1]] }],
        ['a', 1],
      ],
    });
  });

  it('accept objects without a prototype', () => {
    expect(read(hint(Object.assign(Object.create(null), { a: 1 })))).toEqual({
      section: [['hint', { section: [['a', 1]] }]],
    });
  });
});

describe('fragments are refused', () => {
  it.each([
    [null, ' is null'],
    [undefined, ' is undefined'],
    ['text', ' is a string'],
    [5, ' is a number'],
    [[], ' is an array: pass its elements one by one'],
    [{}, ''],
    [{ data: 'x' }, ''],
    [{ name: 'x' }, ''],
    [{ name: '', data: 'x' }, ''],
    [{ name: 5, data: 'x' }, ''],
  ])('when one is %j', (wrong, what) => {
    expect(faultOf(hint('fine'), wrong)).toEqual({
      message: `Fragment 1${what}: it must have data and a name that is not empty`,
      path: '1',
    });
  });

  it('when their output would be much longer, because formats repeat names and indent', () => {
    const deep = (levels: number, data: unknown): unknown => (levels === 0 ? data : { a: deep(levels - 1, data) });
    const ones = Array.from({ length: 10_000 }, () => 1);
    const options = { path: 'fragments', maxLength: 1_000_000 };
    const read = (data: unknown) => () => readFragments([hint(data)], options);
    expect(read(ones)).not.toThrow();
    expect(read(deep(60, ones))).toThrow(
      /^Fragment "hint": fragments\.0\.data(\.a){60}\.\d+ is too much: .* 1000000 characters$/,
    );
    // A name that each section repeats.
    const name = 'x'.repeat(100_000);
    expect(read({ [name]: 1 })).not.toThrow();
    expect(read({ [name]: ones.slice(0, 20).map((each) => ({ each })) })).toThrow('is too much');
    // Lines that are indented separately.
    const lines = '\n'.repeat(10_000);
    expect(read(lines)).not.toThrow();
    expect(read(deep(60, lines))).toThrow('is too much');
  });

  it('without a name within another one', () => {
    expect(faultOf(hint({ a: ['x', { name: '', data: 'x' }] }))).toEqual({
      message: 'Fragment "hint": 0.data.a.1 has no name',
      path: '0.data.a.1',
    });
    expect(faultOf(hint([{ name: '', data: 'x' }])).message).toBe('Fragment "hint": 0.data.0 has no name');
    expect(faultOf(hint({ name: '', data: 'x' })).message).toBe('Fragment "hint": 0.data has no name');
  });

  it('when they contain themselves, through an object, an array or a fragment', () => {
    const object: Record<string, unknown> = {};
    object['self'] = object;
    const array: unknown[] = [];
    array.push('x', [array]);
    const inner = hint(null);
    inner.data = ['x', inner];
    const only = hint(null);
    only.data = only;
    const among = hint(null);
    among.data = [fragment('a', 'b'), among];
    const ending = 'is cyclic: it contains itself';
    expect(faultOf(hint(object))).toEqual({ message: `Fragment "hint": 0.data.self ${ending}`, path: '0.data.self' });
    expect(faultOf(hint(array)).message).toBe(`Fragment "hint": 0.data.1.0 ${ending}`);
    expect(faultOf(inner).message).toBe(`Fragment "hint": 0.data.1 ${ending}`);
    expect(faultOf(only).message).toBe(`Fragment "hint": 0.data ${ending}`);
    expect(faultOf(among).message).toBe(`Fragment "hint": 0.data.1 ${ending}`);
  });

  class Account {
    id = 1;
  }

  it.each([
    ['a function', () => 1, 'is a function, which cannot be written as text'],
    ['a symbol', Symbol('x'), 'is a symbol, which cannot be written as text'],
    ['a BigInt', 1n, 'is a bigint, which cannot be written as text'],
    ['NaN', NaN, 'is NaN, which is not a number that can be written'],
    ['infinity', -Infinity, 'is -Infinity, which is not a number that can be written'],
    ['a date', new Date(0), 'is a Date: only plain objects and arrays can be written as text'],
    ['a map', new Map(), 'is a Map: only plain objects and arrays can be written as text'],
    ['an object of a class', new Account(), 'is a Account: only plain objects and arrays can be written as text'],
    ['bytes', new Uint8Array(1), 'is a Uint8Array: only plain objects and arrays can be written as text'],
    [
      'an object with a prototype that has no constructor',
      Object.create(Object.create(null) as object) as unknown,
      'is a value with a prototype of its own: only plain objects and arrays can be written as text',
    ],
    ['a lone surrogate', 'x\ud83dy', 'has a lone surrogate, which no text can hold'],
  ])('with %s', (_, data, reason) => {
    expect(faultOf(hint('fine'), hint(data))).toEqual({ message: `Fragment "hint": 1.data ${reason}`, path: '1.data' });
    expect(faultOf(hint({ a: ['x', { b: data }] }))).toEqual({
      message: `Fragment "hint": 0.data.a.1.b ${reason}`,
      path: '0.data.a.1.b',
    });
    expect(faultOf(hint([fragment('in', 'x'), { name: 'in', data }]))).toEqual({
      message: `Fragment "hint": 0.data.1.data ${reason}`,
      path: '0.data.1.data',
    });
  });

  it('with a lone surrogate in a name', () => {
    const reason = 'has a lone surrogate, which no text can hold';
    expect(faultOf(hint({ 'x\udc00': 1 }))).toEqual({ message: `Fragment "hint": 0.data ${reason}`, path: '0.data' });
    expect(faultOf({ name: '\ud800', data: 1 }).path).toBe('0.name');
    expect(faultOf(hint(['x', { name: '\ud800', data: 1 }])).message).toBe(`Fragment "hint": 0.data.1.name ${reason}`);
  });

  it(`beyond ${MAX_FRAGMENT_DEPTH} levels`, () => {
    const ending = `is nested deeper than ${MAX_FRAGMENT_DEPTH} levels`;
    expect(() => readFragments([nestedFragments(MAX_FRAGMENT_DEPTH)])).not.toThrow();
    expect(faultOf(nestedFragments(MAX_FRAGMENT_DEPTH + 1))).toEqual({
      message: `Fragment "level": 0${'.data.0'.repeat(MAX_FRAGMENT_DEPTH)} ${ending}`,
      path: `0${'.data.0'.repeat(MAX_FRAGMENT_DEPTH)}`,
    });
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const nested = (levels: number): unknown => JSON.parse(open.repeat(levels - 1) + '[]' + close.repeat(levels - 1));
      expect(() => readFragments([hint(nested(MAX_FRAGMENT_DEPTH))])).not.toThrow();
      const { message, path } = faultOf(hint(nested(MAX_FRAGMENT_DEPTH + 1)));
      const steps = (open === '[' ? '.0' : '.a').repeat(MAX_FRAGMENT_DEPTH);
      expect([message, path]).toEqual([`Fragment "hint": 0.data${steps} ${ending}`, `0.data${steps}`]);
    }
    // Far beyond, where a walk without a bound would have run out of stack.
    expect(faultOf(hint(JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)))).message).toContain(ending);
  });
});

describe('the path of an error', () => {
  it('starts at the fragments', () => {
    const wrong = hint(NaN);
    expect(() => readFragments([wrong], { path: 'context' })).toThrow(
      expect.objectContaining({ path: 'context.0.data' }),
    );
  });
});
