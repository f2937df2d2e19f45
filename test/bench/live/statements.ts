/** The statements of an event in addition to those of the save: the same number for 1,000 followers and for one. */
import { createServer } from '../../../src/server.js';
import type { Ratio } from '../measuring/report.js';
import { createChat, EVENTS, HEAD, saveMessage, versionOf } from './chats.js';
import { openOperationsSocket } from './operations-socket.js';

const SIZES = [1, 10, 100, 1_000];
const EVENTS_PER_SIZE = 5;

/** Maximum of operations per socket. */
const PER_SOCKET = 100;

export async function* measureStatements(): AsyncGenerator<Ratio> {
  let statements = 0;
  const server = await createServer({
    databaseUrl: ':memory:',
    port: 0,
    // Sweeps of followed chats are not part of an event.
    sweepIntervalMs: 3_600_000,
    onStatement: () => statements++,
  });
  const url = (await server.start()).replace('http', 'ws');
  const writer = await openOperationsSocket(url);

  /** The statements of a save and of its notifications; the mean of several. */
  const countWith = async (chatId: string, document: string, size: number): Promise<number> => {
    await createChat(writer, chatId);
    await saveMessage(writer, chatId);
    const sockets = await Promise.all(
      Array.from({ length: Math.ceil(size / PER_SOCKET) }, () => openOperationsSocket(url)),
    );
    let answers = 0;
    let onAnswer = () => {};
    const all = () => {
      const expected = answers + size;
      return new Promise<void>((resolve) => {
        onAnswer = () => answers === expected && resolve();
        onAnswer();
      });
    };
    const before = (await versionOf(writer, chatId)) - 1;
    const begun = all();
    for (let n = 0; n < size; n++) {
      sockets[n % sockets.length]?.subscribe(document, { chatId, after: before }, () => {
        answers++;
        onAnswer();
      });
    }
    await begun;
    const save = async () => Promise.all([all(), saveMessage(writer, chatId)]);
    // After this save, all followers are up to date.
    await save();
    statements = 0;
    for (let n = 0; n < EVENTS_PER_SIZE; n++) await save();
    const count = statements / EVENTS_PER_SIZE;
    await Promise.all(sockets.map((socket) => socket.close()));
    return count;
  };

  try {
    for (const [field, document] of Object.entries({ branchHead: HEAD, chatEvents: EVENTS })) {
      const bySave = await countWith(`${field}-0`, document, 0);
      const counts: number[] = [];
      for (const size of SIZES) counts.push((await countWith(`${field}-${size}`, document, size)) - bySave);
      yield {
        what: `${field}: statements of an event with 1,000 subscribers against one`,
        ratio: counts.at(-1)! / counts[0]!,
        goal: 1,
        detail: `${counts.join(', ')} with ${SIZES.join(', ')}`,
      };
    }
  } finally {
    await writer.close();
    await server.stop();
  }
}
