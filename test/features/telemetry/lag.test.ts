/** The lag of a chat's followers. */
import { expect, it, onTestFinished } from 'vitest';
import { createChat, updateChat } from '../../../src/conversation/chats.js';
import { createLogReads } from '../../../src/database/reading/log-reads.js';
import { Feeds } from '../../../src/events/feeds.js';
import { openLog } from '../../../src/events/open-log.js';
import { temporaryDatabase } from '../../support/database/temporary-database.js';

it('counts unread events, and events that the slowest follower lacks', async () => {
  const { store, connection, remove } = await temporaryDatabase();
  onTestFinished(remove);
  const viewer = { userId: 'u', isAdmin: false };
  const { version } = await createChat(store, viewer, { id: 'c' });
  const reads = createLogReads(connection);
  let goOn = () => {};
  const reading = new Promise<void>((resolve) => (goOn = resolve));
  const log = {
    ...reads,
    eventsAfter: (...place: Parameters<typeof reads.eventsAfter>) => reading.then(() => reads.eventsAfter(...place)),
  };
  const feeds = new Feeds({ log, sweepIntervalMs: 60_000, onError: (error) => expect.fail(String(error)) });
  onTestFinished(() => feeds.close());
  const following = { startAt: null, position: 0, isOver: false };
  const stream = await openLog(feeds, viewer, { chatId: 'c', after: 1 }, following);
  expect(feeds.lag).toEqual({ unread: 0, behind: version - 1 });

  await updateChat(store, viewer, { id: 'c', title: 'x' });
  feeds.wake({ chatId: 'c', version: version + 1 });
  expect(feeds.lag).toEqual({ unread: 1, behind: version - 1 });

  goOn();
  for (let seq = 2; seq <= version + 1; seq++) {
    expect((await stream.next()).value?.seq).toBe(seq);
  }
  expect(feeds.lag).toEqual({ unread: 0, behind: 0 });
  await updateChat(store, viewer, { id: 'c', title: 'y' });
  feeds.wake({ chatId: 'c', version: version + 2 });
  await stream.return();
  expect(feeds.lag).toEqual({ unread: 0, behind: 0 });
});
