import fc from 'fast-check';
import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { isPossibleId } from '../../../src/conversation/bounds.js';
import {
  decodeChatCursor,
  decodeCursor,
  decodePathCursor,
  encodeChatCursor,
  encodeCursor,
  encodePathCursor,
  type NumberedKind,
} from '../../../src/graphql/pages/cursors.js';
import { decodeNodeId, encodeNodeId } from '../../../src/graphql/node/node-id.js';
import { runs } from '../../support/effort.js';

const NUMBERED: NumberedKind[] = ['child', 'branch', 'checkpoint', 'event', 'message'];
const kinds = fc.constantFrom(...NUMBERED);
const list = { kind: 'branch', of: 'c' } as const;
const positions = fc.integer({ min: 0, max: 10 ** 15 - 1 });
const ids = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter(isPossibleId);
const times = fc.integer({ min: -(10 ** 15), max: 10 ** 15 });

/** A cursor with any content. */
const cursorOf = (text: string) => Buffer.from(text).toString('base64url');

/** The position of a cursor; null if it is refused as invalid input. */
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
  it('decodes to its position', () => {
    fc.assert(
      fc.property(kinds, ids, positions, (kind, of, position) => {
        expect(decodeCursor({ kind, of }, encodeCursor({ kind, of }, position), 'after')).toBe(position);
      }),
    );
  });

  it('of a message on a path decodes to its id, for any characters', () => {
    fc.assert(
      fc.property(ids, (id) => {
        expect(decodePathCursor(encodePathCursor(id), 'after')).toBe(id);
      }),
    );
    for (const id of ['', 'a\0b', 'a '])
      expect(accepted(() => decodePathCursor(encodePathCursor(id), 'before'))).toBeNull();
  });

  it('of the same list of another object is refused with that reason', () => {
    for (const kind of NUMBERED) {
      const cursor = encodeCursor({ kind, of: 'c:1' }, 1);
      for (const of of ['c', 'c:12', '1', ':1']) {
        expect(() => decodeCursor({ kind, of }, cursor, 'after')).toThrow(
          expect.objectContaining({
            message: 'after is a cursor of another list of this kind',
            extensions: { code: 'BAD_USER_INPUT', reason: 'CURSOR_ELSEWHERE' },
          }) as Error,
        );
      }
    }
  });

  it('of a chat decodes to its id, for any characters', () => {
    fc.assert(
      fc.property(times, ids, (updatedAt, id) => {
        expect(decodeChatCursor(encodeChatCursor({ updatedAt, id }), 'after')).toEqual({ updatedAt, id });
      }),
    );
    for (const id of ['a\0b', 'a ']) {
      expect(accepted(() => decodeChatCursor(cursorOf(`chat:7:${id}`), 'before'))).toBeNull();
    }
    const id = 'a:b\n😀:7';
    expect(decodeChatCursor(encodeChatCursor({ updatedAt: 0, id }), 'after')).toEqual({ updatedAt: 0, id });
  });

  it('needs no escaping in a URL', () => {
    fc.assert(fc.property(times, ids, (updatedAt, id) => /^[\w-]+$/.test(encodeChatCursor({ updatedAt, id }))));
  });

  it('of another list is refused', () => {
    for (const kind of NUMBERED) {
      for (const other of [...NUMBERED, 'chat', 'on-path'].filter((each) => each !== kind)) {
        expect(accepted(() => decodeCursor({ kind, of: 'a' }, cursorOf(`${other}:1:a`), 'before'))).toBeNull();
      }
      expect(accepted(() => decodeChatCursor(cursorOf(`${kind}:1:a`), 'before'))).toBeNull();
      expect(accepted(() => decodePathCursor(cursorOf(`${kind}:1:a`), 'before'))).toBeNull();
    }
    // Old path cursors contained a depth, which does not identify the path.
    expect(accepted(() => decodePathCursor(cursorOf('path:1'), 'before'))).toBeNull();
  });

  const forgedCursor = (kind: string) =>
    fc.string({ unit: 'binary', maxLength: 20 }).map((rest) => cursorOf(`${kind}:${rest}`));

  it('is accepted only if the server issued it', () => {
    const strings = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), forgedCursor('branch'));
    fc.assert(
      fc.property(strings, (text) => {
        const position = accepted(() => decodeCursor(list, text, 'before'));
        if (position !== null) expect(encodeCursor(list, position)).toBe(text);
      }),
      { numRuns: runs(1000) },
    );
  });

  it.each(['', '-1', '01', '1.5', '1e3', ' 1', '1 ', '1\n', '0x1', '٣', 'NaN', '1000000000000000', '1:2'])(
    'is refused with %j for a position',
    (position) => {
      expect(accepted(() => decodeCursor(list, cursorOf(`branch:${position}:c`), 'before'))).toBeNull();
    },
  );

  it.each(['branch:1', 'branch:1:'])('is refused as %j, without an object', (text) => {
    expect(accepted(() => decodeCursor(list, cursorOf(text), 'before'))).toBeNull();
  });

  it.each(['', '1', '1:', ':a', 'x:a', '1.5:a', '12345678901234567:a'])(
    'of a chat is refused with %j for a position',
    (position) => {
      expect(accepted(() => decodeChatCursor(cursorOf(`chat:${position}`), 'before'))).toBeNull();
    },
  );

  it('is refused in any other encoding of the same bytes', () => {
    const cursor = encodeCursor(list, 12);
    expect(accepted(() => decodeCursor(list, cursor, 'before'))).toBe(12);
    for (const other of [
      `${cursor}=`,
      `${cursor}\n`,
      ` ${cursor}`,
      `${cursor}!`,
      `${cursor.slice(0, 3)} ${cursor.slice(3)}`,
    ]) {
      expect(accepted(() => decodeCursor(list, other, 'before'))).toBeNull();
    }
  });

  it('is refused if its bytes are not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('chat:1:'), Buffer.from([0xff, 0xc0])]);
    expect(accepted(() => decodeChatCursor(bytes.toString('base64url'), 'before'))).toBeNull();
  });
});

describe('a nodeId', () => {
  it('decodes to its type and id', () => {
    fc.assert(
      fc.property(ids, (id) => {
        expect(decodeNodeId(encodeNodeId('Message', id))).toEqual({ typename: 'Message', id });
      }),
    );
  });

  it('is accepted only if the server issued it', () => {
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
