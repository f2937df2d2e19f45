/** Memory limits of a user and of all users: JSON counts by its parsed size, before parsing. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OverloadedError, TooLargeError } from '../../../src/conversation/errors.js';
import { Memory, memoryBounds, unreadBytes } from '../../../src/limits/memory.js';
import { parsedSize } from '../../../src/limits/parsed-size.js';

const bounds = { ofAUser: 100, ofAll: 150, spared: 10 };
const [KIB, MIB, GIB] = [1024, 1024 ** 2, 1024 ** 3];
const openMemory = () => new Memory({ bodies: bounds, variables: bounds, content: bounds });

it('limits the memory of a user and of all users, and serves users with little', () => {
  const memory = openMemory();
  expect([memory.held('bodies'), memory.held('bodies', 'one')]).toEqual([0, 0]);
  const take = (userId: string, bytes: number) => memory.hold('bodies', userId).take(bytes);
  take('one', 60);
  expect(() => take('one', 41)).toThrow(OverloadedError);
  expect(() => take('one', 101)).toThrow(TooLargeError);
  take('two', 90);
  expect(() => take('three', 11)).toThrow('The server has too many bytes of incomplete requests');
  take('three', 10);
  expect(memory.held('bodies')).toBe(160);
  expect(memory.held('bodies', 'one')).toBe(60);
  // Another account holds nothing.
  memory.hold('variables', 'one').take(100);
});

it('the bounds grow with the heap up to a maximum, and permit the content of one operation', () => {
  expect(memoryBounds(3 * GIB, 96 * MIB)).toEqual({
    bodies: { ofAUser: 64 * MIB, ofAll: 256 * MIB, spared: 16 * KIB },
    variables: { ofOne: 32 * MIB, ofAUser: 64 * MIB, ofAll: 512 * MIB, spared: 4 * KIB },
    content: { ofAUser: 144 * MIB, ofAll: 192 * MIB, spared: 768 * KIB },
  });
  expect(memoryBounds(96 * MIB, 12 * MIB)).toEqual({
    bodies: { ofAUser: 20 * MIB, ofAll: 20 * MIB, spared: 16 * KIB },
    variables: { ofOne: 32 * MIB, ofAUser: 3 * MIB, ofAll: 16 * MIB, spared: 4 * KIB },
    content: { ofAUser: 12 * MIB, ofAll: 12 * MIB, spared: 48 * KIB },
  });
  expect([unreadBytes(GIB, MIB), unreadBytes(3 * GIB, MIB), unreadBytes(GIB, 200 * MIB)]).toEqual(
    [128, 256, 200].map((count) => count * MIB),
  );
});

it('a refused request holds nothing, and released memory is available to others', () => {
  const memory = openMemory();
  const growing = memory.hold('variables', 'one');
  growing.take(70);
  expect(() => growing.take(70)).toThrow(TooLargeError);
  expect(memory.held('variables')).toBe(0);
  const other = memory.hold('variables', 'one');
  other.take(100);
  other.release();
  other.release();
  expect(memory.held('variables', 'one')).toBe(0);
});

const sizeOf = (json: string) => parsedSize(Buffer.from(json));

it.each([
  ['objects', '{}', 80],
  ['arrays', '[]', 80],
  ['numbers', '1', 20],
  ['texts', '""', 45],
])('%s in a list count more than their bytes', (_, value, bytes) => {
  expect(sizeOf(`[${`${value},`.repeat(999)}${value}]`)).toBeGreaterThan(1_000 * bytes);
});

it('members count more than their bytes, and long texts about their bytes', () => {
  expect(sizeOf(`{${'"a":1,'.repeat(999)}"a":1}`)).toBeGreaterThan(100_000);
  const text = JSON.stringify('a text, with [brackets] and "quotes": {all of it}\\ '.repeat(1000));
  expect(sizeOf(text)).toBeLessThan(text.length + 100);
});

it('any JSON counts at least its bytes', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(sizeOf(json)).toBeGreaterThanOrEqual(Buffer.byteLength(json));
    }),
  );
});
