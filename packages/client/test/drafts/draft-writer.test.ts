/** Writes drafts within the server's limits of an append and of a draft. */
import { expect, test } from 'vitest';
import { ClosedError } from '@parley/client';
import { StopDraft } from '@parley/client/operations';
import { DraftWriter } from '../../src/drafts/draft-writer.js';
import { openTab, startChat } from '../open-parley.js';

const KIB = 1024;

async function startWriter() {
  const server = await startChat('q');
  const { parley } = openTab(server);
  const read = async (): Promise<{ drafts: { length: number }[]; lastMessage: { text: string } }> => {
    const { data } = await server.ask('{ chat(id: "c") { drafts { length } lastMessage { text } } }');
    return (data as { chat: Awaited<ReturnType<typeof read>> }).chat;
  };
  return { parley, read, writer: await DraftWriter.start(parley, { chatId: 'c' }) };
}

test('sends chunks in appends of at most 256 KiB and 500 chunks', async () => {
  const { writer, read } = await startWriter();
  writer.append(...Array.from({ length: 600 }, () => 'é'.repeat(300)));
  writer.append(...Array.from({ length: 600 }, () => 'x'));
  await writer.flush();
  expect(await read()).toMatchObject({ drafts: [{ length: 1200 }] });
  await writer.finish();
  expect((await read()).lastMessage.text).toBe('é'.repeat(180_000) + 'x'.repeat(600));
});

test('saves the text of chunks beyond the limits of the draft', async () => {
  const { writer, read } = await startWriter();
  writer.append('a', 'b'.repeat(300 * KIB), 'c');
  await writer.flush();
  expect(await read()).toMatchObject({ drafts: [{ length: 2 }] });
  await writer.finish();
  expect((await read()).lastMessage.text).toBe(`a${'b'.repeat(300 * KIB)}c`);
});

test('continues a draft at its length, and reports chunks before they are sent', async () => {
  const { writer, parley, read } = await startWriter();
  writer.append('a', 'b');
  await writer.flush();
  const appended: unknown[] = [];
  const second = new DraftWriter(parley, 'c', writer.id, {
    length: 2,
    appended: (offset, chunks) => appended.push([offset, chunks]),
  });
  second.append('c');
  second.append({ type: 'data-big', data: 'x'.repeat(300 * KIB) }, 'd');
  expect(appended).toEqual([
    [2, ['c']],
    [3, ['d']],
  ]);
  await second.flush();
  expect(await read()).toMatchObject({ drafts: [{ length: 4 }] });
});

test('saves explicit content although an append was refused', async () => {
  const { writer, read } = await startWriter();
  let deep: unknown = 'x';
  for (let depth = 0; depth < 500; depth++) deep = [deep];
  writer.append('a', deep);
  await expect(writer.flush()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(writer.signal.reason).toMatchObject({ code: 'INVALID_INPUT' });
  await expect(writer.finish()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await writer.finish('all of it');
  expect(await read()).toEqual({ drafts: [], lastMessage: { text: 'all of it' } });
});

test('sends the chunks after a requested stop, and saves them', async () => {
  const { writer, parley, read } = await startWriter();
  writer.append('a');
  await writer.flush();
  await parley.run(StopDraft, { input: { chatId: 'c', id: writer.id } });
  writer.append('b');
  await writer.flush();
  expect(writer.signal.reason).toBeInstanceOf(ClosedError);
  writer.append('c');
  await writer.flush();
  await writer.finish();
  expect((await read()).lastMessage.text).toBe('abc');
});
