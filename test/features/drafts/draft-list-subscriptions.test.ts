/** The subscription drafts. */
import { describe, expect, test } from 'vitest';
import { openStream } from '../../support/server/event-stream.js';
import { save, userMessage } from '../../support/chats/operations.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';
import { mutate, start, append, finish, deleteChat, discard, chatWithDraft, take } from './draft-updates.js';

const DRAFTS = `subscription ($chatId: ID! = "c") {
  drafts(chatId: $chatId) { draftId state draft { id length } message { id } }
}`;

describe('drafts', () => {
  test('sends the open drafts, then the start and end of drafts', async () => {
    const parley = await chatWithDraft();
    await append(parley, 0, ['a']);
    const stream = await openStream(parley, DRAFTS);
    expect(await take(stream, 1)).toEqual([
      { draftId: 'd', state: 'STARTED', draft: { id: 'd', length: 1 }, message: null },
    ]);
    await start(parley, 'e');
    expect(await take(stream, 1)).toMatchObject([{ draftId: 'e', state: 'STARTED' }]);
    await finish(parley);
    expect(await take(stream, 1)).toEqual([{ draftId: 'd', state: 'FINISHED', draft: null, message: { id: 'd' } }]);
    await discard(parley, 'e');
    expect(await take(stream, 1)).toEqual([{ draftId: 'e', state: 'DISCARDED', draft: null, message: null }]);
  });

  test('sends the same to a later subscriber', async () => {
    const parley = await chatWithDraft();
    const early = await openStream(parley, DRAFTS);
    expect(await take(early, 1)).toMatchObject([{ draftId: 'd', state: 'STARTED' }]);
    await start(parley, 'e');
    const late = await openStream(parley, DRAFTS);
    expect(await take(late, 2)).toMatchObject([{ draftId: 'd' }, { draftId: 'e' }]);
    await finish(parley);
    expect(await take(early, 2)).toMatchObject([{ draftId: 'e' }, { draftId: 'd', state: 'FINISHED' }]);
    expect(await take(late, 1)).toMatchObject([{ draftId: 'd', state: 'FINISHED' }]);
  });

  test('reports the branch that a draft gets with its first content', async () => {
    const parley = await chatWithDraft();
    await save(parley, { chatId: 'c', messages: [userMessage('b')] });
    const stream = await openStream(
      parley,
      'subscription { drafts(chatId: "c") { draftId state draft { branch { name isActive } } } }',
    );
    expect(await take(stream, 1)).toMatchObject([{ draftId: 'd' }]);
    await mutate(parley, 'startDraft', 'id: "e", at: { message: "a" }');
    expect(await take(stream, 1)).toMatchObject([{ draftId: 'e', state: 'STARTED' }]);
    await append(parley, 0, [''], 'e');
    await append(parley, 1, ['x'], 'e');
    const branch = { name: 'main-v2', isActive: true };
    expect(await take(stream, 1)).toMatchObject([{ draftId: 'e', state: 'STARTED', draft: { branch } }]);
    await append(parley, 2, ['y'], 'e');
    await discard(parley);
    expect(await take(stream, 1)).toMatchObject([{ draftId: 'd', state: 'DISCARDED' }]);
  });

  test('reports an abandoned and continued draft, and ends with the chat', async () => {
    const parley = await chatWithDraft({ databaseUrl: emptyDatabaseUrl(), sweepIntervalMs: 20 });
    const stream = await openStream(parley, DRAFTS);
    expect(await take(stream, 1)).toMatchObject([{ state: 'STARTED' }]);
    await (await rawDatabase(parley.databaseUrl)).run('UPDATE drafts SET "updatedAt" = "updatedAt" - 61000');
    expect(await take(stream, 1)).toMatchObject([{ state: 'ABANDONED', draft: { id: 'd' } }]);
    await append(parley, 0, ['a']);
    expect(await take(stream, 1)).toMatchObject([{ state: 'STARTED' }]);
    await deleteChat(parley);
    expect(await take(stream, 1)).toEqual([{ draftId: 'd', state: 'DISCARDED', draft: null, message: null }]);
    expect(await stream.next()).toBeUndefined();
  });
});
