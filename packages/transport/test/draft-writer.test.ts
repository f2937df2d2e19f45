/** Chunks of a draft: their order, the limits of an append and of a draft, lost chunks, and failures. */
import { expect, test } from 'vitest';
import { DraftWriter, type DraftWriterOptions } from '@parley/transport/draft-writer';

const KIB = 1024;

/** A draft in memory, and a writer of it. */
function startWriter(options: Partial<DraftWriterOptions<string>> = {}) {
  const stored: string[] = Array.from({ length: options.length ?? 0 }, () => '');
  const appends: number[] = [];
  const failures: unknown[] = [];
  let stops = 0;
  const writer = new DraftWriter<string>({
    length: 0,
    append: async (offset, chunks) => {
      appends.push(chunks.length);
      if (offset <= stored.length) stored.splice(offset, Infinity, ...chunks);
      return { length: stored.length, state: 'WRITING' };
    },
    stopping: () => stops++,
    failed: (reason) => failures.push(reason),
    ...options,
  });
  const write = (...chunks: string[]) => {
    const added = chunks.map((chunk) => writer.add(chunk, JSON.stringify(chunk).length));
    writer.send();
    return added;
  };
  return { writer, write, stored, appends, failures, stops: () => stops };
}

test('sends at most 500 chunks in an append, and one append at a time', async () => {
  const { writer, write, stored, appends } = startWriter();
  const chunks = Array.from({ length: 1201 }, (_, n) => `${n}`);
  write(...chunks);
  write('last');
  await writer.sending;
  expect(appends).toEqual([500, 500, 202]);
  expect(stored).toEqual([...chunks, 'last']);
  expect(writer.unsentBytes).toBe(0);
});

test('sends at most 256 KiB in an append, with a byte between chunks', async () => {
  const { writer, write, appends } = startWriter();
  const half = 'x'.repeat(128 * KIB - 3);
  write(half, half, half, `${half}x`, half);
  await writer.sending;
  expect(appends).toEqual([2, 1, 1, 1]);
});

test('omits a chunk that is too large for an append, and sends the chunks after it', async () => {
  const { writer, write, stored } = startWriter();
  expect(write('a', 'x'.repeat(256 * KIB - 2), 'x'.repeat(256 * KIB - 3), 'b')).toEqual([true, false, true, true]);
  await writer.sending;
  expect(stored.map((chunk) => chunk.length)).toEqual([1, 256 * KIB - 3, 1]);
});

test('omits every chunk after the first one beyond 8 MiB or 100,000 chunks', async () => {
  const large = startWriter();
  const chunk = 'x'.repeat(250 * KIB);
  expect(large.write(...Array.from({ length: 34 }, () => chunk)).filter(Boolean)).toHaveLength(32);
  expect(large.write('small')).toEqual([false]);
  const long = startWriter({ length: 99_999 });
  expect(long.write('a', 'b')).toEqual([true, false]);
  await Promise.all([large.writer.sending, long.writer.sending]);
});

test('sends chunks again that the server has lost', async () => {
  const { writer, write, stored } = startWriter();
  write('a', 'b', 'c');
  await writer.sending;
  stored.length = 1;
  write('d');
  await writer.sending;
  expect(stored).toEqual(['a', 'b', 'c', 'd']);
  expect(writer.sentLength).toBe(4);
});

test('fails after 5 appends without a stored chunk', async () => {
  let appends = 0;
  const { writer, write, failures } = startWriter({
    append: async (offset) => {
      if (++appends > 20) throw new Error('sent without end');
      return { length: Math.max(offset - 1, 0) };
    },
  });
  write('a', 'b');
  await writer.sending;
  expect(failures).toMatchObject([{ name: 'RequestError', code: 'INTERNAL' }]);
  expect(appends).toBe(5);
});

test('continues after losses when the server stores new chunks in between', async () => {
  const stored: string[] = [];
  let appends = 0;
  const { writer, write, failures } = startWriter({
    append: async (offset, chunks) => {
      // Every second append finds that the last chunk is lost.
      if (appends++ % 2 === 1) stored.pop();
      if (offset <= stored.length) stored.splice(offset, Infinity, ...chunks);
      return { length: stored.length };
    },
  });
  const letters = [...'abcdefghijklmnop'];
  for (const letter of letters) {
    write(letter);
    await writer.sending;
  }
  expect(failures).toEqual([]);
  expect(stored).toEqual(letters);
});

test('gathers chunks before each append', async () => {
  let release!: () => void;
  const gather = () => new Promise<void>((resolve) => (release = resolve));
  const { writer, write, appends } = startWriter({ gather });
  write('a');
  write('b');
  expect(writer.unsentBytes).toBe(8);
  release();
  await writer.sending;
  expect(appends).toEqual([2]);
});

test('reports a requested stop, and sends the chunks after it', async () => {
  const sent: string[] = [];
  const { writer, write, stops } = startWriter({
    append: async (offset, chunks) => {
      sent.push(...chunks);
      return { length: offset + chunks.length, state: 'STOPPING' };
    },
  });
  write('a');
  await writer.sending;
  expect(stops()).toBe(1);
  write('b');
  await writer.sending;
  expect(sent).toEqual(['a', 'b']);
});

test('sends nothing after a failure, which it reports once', async () => {
  let appends = 0;
  const { writer, write, failures } = startWriter({
    append: async () => {
      appends++;
      throw new Error('refused');
    },
  });
  write('a');
  await expect(writer.appending).rejects.toThrow('refused');
  await writer.sending;
  write('b');
  await writer.sending;
  expect(appends).toBe(1);
  expect(failures).toEqual([new Error('refused')]);
});
