/** Clients that stop reading do not slow down clients that read, and cost them no event. */
import { expect, it } from 'vitest';
import { CreateChat, SaveMessages } from '../../support/chats/operations.js';
import { startServer, type ServerProcess } from '../../support/server/server-process.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { BigEventReader, BigEventStream } from './big-event-reader.js';

const CHAT = 'big';
const QUICK = 40;
const SLOW = 30;

/** The limit of unread bytes per client. */
const BOUND = 1024 * 1024;

/** Minimum size of an event, and the number of events: more than the kernel buffers for a client. */
const EVENT_BYTES = 100_000;
const EVENTS = 300;

/** Maximum lag of fast clients without a disconnect, in events. */
const LEAD = 4;

async function write(server: ServerProcess, n: number): Promise<void> {
  const { saveMessages } = await server.run(SaveMessages, {
    input: {
      chatId: CHAT,
      messages: [{ id: `m${n}`, name: 'user', content: { text: 'x'.repeat(EVENT_BYTES) } }],
      onConflict: 'REJECT',
    },
  });
  if (saveMessages.__typename !== 'SaveMessagesPayload') throw new Error(saveMessages.message);
}

it('clients that stop reading are disconnected without delaying others, and resume later', async () => {
  const server = await startServer({
    DATABASE_URL: `file:${temporaryFile()}`,
    ...{ SOCKET_BUFFER_BYTES: String(BOUND) },
  });
  await server.run(CreateChat, { input: { id: CHAT } });
  const quick = Array.from({ length: QUICK }, () => new BigEventReader(server.url, CHAT));
  await Promise.all(quick.map((reader) => reader.opened));
  const writeAll = async (from: number, to: number) => {
    for (let n = from; n <= to; n++) {
      await write(server, n);
      // The chat itself has three events.
      await Promise.all(quick.map((reader) => reader.reached(3 + n - LEAD)));
    }
    await Promise.all(quick.map((reader) => reader.reached(3 + to)));
  };
  const slow = Array.from({ length: SLOW }, () => new BigEventReader(server.url, CHAT, 3));
  const streams = Array.from({ length: SLOW }, () => new BigEventStream(server.url, CHAT, 3));
  await writeAll(1, 1);
  await Promise.all(slow.map((reader) => reader.reached(3 + 1)));
  for (const reader of slow) reader.stopReading();
  await Promise.all(streams.map((stream) => stream.begun));
  await writeAll(2, EVENTS);

  const end = 3 + EVENTS;
  const everything = Array.from({ length: end }, (_, n) => n + 1);
  for (const { seqs } of quick) expect(seqs).toEqual(everything);

  const laterEvents = everything.slice(3);
  const rest = async (after: number) => {
    const reader = new BigEventReader(server.url, CHAT, after);
    await reader.reached(end);
    reader.close();
    return reader.seqs;
  };
  await Promise.all(
    slow.map(async (reader, n) => {
      reader.readOn();
      // Clients that read the close code in time know the reason; the others are disconnected.
      expect([4413, 1006]).toContain(await reader.closed);
      expect(reader.seqs.length).toBeLessThan(EVENTS);
      if (n % 5 !== 0) return;
      expect([...reader.seqs, ...(await rest(reader.seqs.at(-1)!))]).toEqual(laterEvents);
    }),
  );
  await Promise.all(
    streams.map(async (stream, n) => {
      const seqs = await stream.readToTheEnd();
      expect(seqs.length).toBeLessThan(EVENTS);
      if (n % 5 !== 0) return;
      expect([...seqs, ...(await rest(seqs.at(-1)!))]).toEqual(laterEvents);
    }),
  );
});
