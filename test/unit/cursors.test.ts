import fc from 'fast-check';
import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { isPossibleId } from '../../src/conversation/bounds.js';
import {
  decodeChatCursor,
  decodeCursor,
  encodeChatCursor,
  encodeCursor,
  type ListKind,
} from '../../src/graphql/cursors.js';
import { decodeNodeId, encodeNodeId } from '../../src/graphql/node-id.js';
import { runs } from '../support/effort.js';

const NUMBERED: ListKind[] = ['child', 'path', 'branch', 'checkpoint', 'event'];
const kinds = fc.constantFrom(...NUMBERED);
const positions = fc.integer({ min: 0, max: 10 ** 15 - 1 });
const ids = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter(isPossibleId);
const times = fc.integer({ min: -(10 ** 15), max: 10 ** 15 });

/** The position that a cursor stands for; null when it is refused as a client's mistake. */
function accepted<P>(decode: () => P): P | null {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    expect(error.extensions['code']).toBe('BAD_USER_INPUT');
    expect(error.message).toMatch(/^before /);
    return null;
  }
}

describe('a cursor', () => {
  it('comes back as the position it was made of', () => {
    fc.assert(
      fc.property(kinds, positions, (kind, position) => {
        expect(decodeCursor(kind, encodeCursor(kind, position), 'after')).toBe(position);
      }),
    );
  });

  it('of a chat comes back with its id, whatever is in it', () => {
    fc.assert(
      fc.property(times, ids, (updatedAt, id) => {
        expect(decodeChatCursor(encodeChatCursor({ updatedAt, id }), 'after')).toEqual({ updatedAt, id });
      }),
    );
    for (const id of ['a\0b', 'a ']) {
      expect(accepted(() => decodeChatCursor(encodeCursor('chat', `7:${id}`), 'before'))).toBeNull();
    }
    const id = 'a:b\n😀:7';
    expect(decodeChatCursor(encodeChatCursor({ updatedAt: 0, id }), 'after')).toEqual({ updatedAt: 0, id });
  });

  it('stands in a URL as it is', () => {
    fc.assert(fc.property(times, ids, (updatedAt, id) => /^[\w-]+$/.test(encodeChatCursor({ updatedAt, id }))));
  });

  it('of another list is refused', () => {
    for (const kind of NUMBERED) {
      for (const other of [...NUMBERED, 'chat' as const].filter((each) => each !== kind)) {
        expect(accepted(() => decodeCursor(kind, encodeCursor(other, 1), 'before'))).toBeNull();
      }
      expect(accepted(() => decodeChatCursor(encodeCursor(kind, '1:a'), 'before'))).toBeNull();
    }
  });

  const disguised = (kind: string) =>
    fc.string({ unit: 'binary', maxLength: 20 }).map((rest) => Buffer.from(`${kind}:${rest}`).toString('base64url'));

  it('is nothing but what was given out: any other string is refused', () => {
    const strings = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), disguised('branch'));
    fc.assert(
      fc.property(strings, (text) => {
        const position = accepted(() => decodeCursor('branch', text, 'before'));
        if (position !== null) expect(encodeCursor('branch', position)).toBe(text);
      }),
      { numRuns: runs(1000) },
    );
  });

  it.each(['', '-1', '01', '1.5', '1e3', ' 1', '1 ', '1\n', '0x1', '٣', 'NaN', '1000000000000000', '1:2'])(
    'is refused with %j for a position',
    (position) => {
      expect(accepted(() => decodeCursor('path', encodeCursor('path', position), 'before'))).toBeNull();
    },
  );

  it.each(['', '1', '1:', ':a', 'x:a', '1.5:a', '12345678901234567:a'])(
    'of a chat is refused with %j for a position',
    (position) => {
      expect(accepted(() => decodeChatCursor(encodeCursor('chat', position), 'before'))).toBeNull();
    },
  );

  it('is refused in any other spelling of the same bytes', () => {
    const cursor = encodeCursor('path', 12);
    expect(accepted(() => decodeCursor('path', cursor, 'before'))).toBe(12);
    for (const other of [
      `${cursor}=`,
      `${cursor}\n`,
      ` ${cursor}`,
      `${cursor}!`,
      `${cursor.slice(0, 3)} ${cursor.slice(3)}`,
    ]) {
      expect(accepted(() => decodeCursor('path', other, 'before'))).toBeNull();
    }
  });

  it('is refused when it holds bytes that are no text', () => {
    const bytes = Buffer.concat([Buffer.from('chat:1:'), Buffer.from([0xff, 0xc0])]);
    expect(accepted(() => decodeChatCursor(bytes.toString('base64url'), 'before'))).toBeNull();
  });
});

describe('a nodeId', () => {
  it('comes back as the type and the id it was made of', () => {
    fc.assert(
      fc.property(ids, (id) => {
        expect(decodeNodeId(encodeNodeId('Message', id))).toEqual({ typename: 'Message', id });
      }),
    );
  });

  it('is nothing but what was given out: any other string is none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String()), (text) => {
        const node = decodeNodeId(text);
        if (node !== null) expect(encodeNodeId(node.typename, node.id)).toBe(text);
      }),
      { numRuns: runs(1000) },
    );
    expect(
      ['', 'Chat:1', Buffer.from(':1').toString('base64url'), `${encodeNodeId('Chat', 'a')}=`].map(decodeNodeId),
    ).toEqual([null, null, null, null]);
  });
});
