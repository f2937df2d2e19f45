/** Fragments, codecs, lazy fragments, and the types of results. */
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  assistant,
  fragment,
  hint,
  isFragment,
  isFragmentObject,
  isLazyFragment,
  isMessageFragment,
  lastAssistantMessage,
  LAZY_ID,
  message,
  role,
  user,
  XmlRenderer,
  type BranchInfo,
  type CheckpointData,
  type ContextFragment,
  type FragmentCodec,
  type FragmentData,
  type FragmentType,
  type LazyConfig,
  type LazyFragment,
  type MessageData,
  type ResolveResult,
  type UIMessage,
} from '@parley/context';

const renderer = new XmlRenderer();

describe('fragments', () => {
  test('the interface ContextFragment', () => {
    expectTypeOf<ContextFragment>().toEqualTypeOf<{
      id?: string;
      name: string;
      data: FragmentData;
      type?: FragmentType;
      persist?: boolean;
      codec?: FragmentCodec;
      metadata?: Record<string, unknown>;
    }>();
    expectTypeOf<ContextFragment<string>['data']>().toEqualTypeOf<string>();
    expectTypeOf<FragmentType>().toEqualTypeOf<'fragment' | 'message'>();
  });

  test('the union FragmentData: each of its kinds is data of a fragment', () => {
    const kinds = [
      'text',
      1,
      null,
      undefined,
      true,
      hint('nested'),
      ['text', 1, [hint('nested')]],
      { key: { nested: [hint('nested')] } },
    ] satisfies FragmentData[];
    for (const data of kinds) expect(isFragment({ name: 'any', data })).toBe(true);
    // @ts-expect-error a function is not data
    const wrong: FragmentData = () => 1;
    expect(isFragmentObject(wrong)).toBe(false);
  });

  test('nesting', () => {
    const database = fragment(
      'database',
      hint('PostgreSQL 15'),
      hint('Tables: users, orders'),
      fragment('constraints', hint('No DELETE without audit')),
    );
    expect(database).toEqual({
      name: 'database',
      data: [
        { name: 'hint', data: 'PostgreSQL 15' },
        { name: 'hint', data: 'Tables: users, orders' },
        { name: 'constraints', data: [{ name: 'hint', data: 'No DELETE without audit' }] },
      ],
    });
    const rendered = renderer.render([database]);
    for (const text of ['PostgreSQL 15', 'Tables: users, orders', 'No DELETE without audit']) {
      expect(rendered).toContain(`<hint>${text}</hint>`);
    }
    expect(rendered).toMatch(/^<database>[^]*<constraints>[^]*<\/constraints>\s*<\/database>$/);
  });

  test('type guards', () => {
    expect([hint('x'), user('x'), 'x', null, [hint('x')], { name: 'x' }, { name: 1, data: 1 }].map(isFragment)).toEqual(
      [true, true, false, false, false, false, false],
    );
    expect([{ a: 1 }, {}, hint('x'), ['x'], 'x', 1, null, undefined].map(isFragmentObject)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect([user('x'), lastAssistantMessage('x'), hint('x')].map(isMessageFragment)).toEqual([true, true, false]);
    expect([lastAssistantMessage('x'), assistant('x'), hint('x')].map(isLazyFragment)).toEqual([true, false, false]);
    expectTypeOf(isFragment).guards.toEqualTypeOf<ContextFragment>();
    expectTypeOf(isLazyFragment).guards.toEqualTypeOf<LazyFragment>();
  });
});

describe('codecs', () => {
  test('the interface FragmentCodec', () => {
    expectTypeOf<FragmentCodec>().toEqualTypeOf<{ decode(): unknown; encode(): unknown }>();
  });

  test('user and assistant have one for a text', () => {
    const said = user('Hello');
    expect(said).toEqual({
      id: expect.any(String) as string,
      name: 'user',
      data: 'Hello',
      type: 'message',
      persist: true,
      codec: { decode: expect.any(Function) as unknown, encode: expect.any(Function) as unknown },
    });
    const stored = { id: said.id, role: 'user', parts: [{ type: 'text', text: 'Hello' }] };
    expect(said.codec?.decode()).toEqual(stored);
    expect(said.codec?.encode()).toEqual(stored);
    expect(assistant('Hi', { id: 'a1' }).codec?.decode()).toEqual({
      id: 'a1',
      role: 'assistant',
      parts: [{ type: 'text', text: 'Hi' }],
    });
  });

  test('and for a UIMessage, unchanged', () => {
    const given: UIMessage = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }], metadata: { at: 1 } };
    const { id, name, codec } = user(given);
    expect([id, name]).toEqual(['m1', 'user']);
    expect(codec?.decode()).toBe(given);
    expect(codec?.encode()).toBe(given);
    expect(message(codec?.encode()).codec?.decode()).toBe(given);
    // The message and its fragment have one id.
    expect(user(given, { id: 'm1' }).codec?.decode()).toBe(given);
    expect(user(given, { id: 'other' })).toMatchObject({ id: 'other', data: 'Hello' });
    expect(user(given, { id: 'other' }).codec?.encode()).toEqual({ ...given, id: 'other' });
    expect(given.id).toBe('m1');
  });

  test('context fragments have none', () => {
    expect([role('r'), hint('h'), fragment('f', 'x')].map(({ codec }) => codec)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('lazy fragments', () => {
  test('LAZY_ID and the interfaces', () => {
    expect(typeof LAZY_ID).toBe('symbol');
    expectTypeOf<LazyConfig>().toEqualTypeOf<{ type: 'last-assistant'; content: string }>();
    expectTypeOf<LazyFragment>().toExtend<ContextFragment>();
  });

  test('lastAssistantMessage', () => {
    const lazy = lastAssistantMessage('corrected');
    expect(lazy).toEqual({
      name: 'assistant',
      type: 'message',
      persist: true,
      data: 'corrected',
      [LAZY_ID]: { type: 'last-assistant', content: 'corrected' },
    });
    expect(lazy).not.toHaveProperty('id');
  });
});

test('the results of the engine and of stores', () => {
  expectTypeOf<ResolveResult>().toEqualTypeOf<{
    systemPrompt: string;
    messages: UIMessage[];
    summary: MessageData | null;
    omittedMessages: number;
    estimatedTokens: number;
  }>();
  expectTypeOf<BranchInfo>().toEqualTypeOf<{
    id: string;
    name: string;
    headMessageId: string | null;
    isActive: boolean;
    messageCount: number;
    createdAt: number;
  }>();
  expectTypeOf<CheckpointData>().toEqualTypeOf<{
    id: string;
    chatId: string;
    name: string;
    messageId: string;
    createdAt: number;
  }>();
});
