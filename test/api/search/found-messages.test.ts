/** Searches after saves, edits and deletions. */
import { describe, expect, test } from 'vitest';
import { allRowsAt } from '../../support/database/all-rows.js';
import { isInMemory } from '../../support/database/database-kind.js';
import {
  assistantMessage,
  createChat,
  EditMessage,
  Rewind,
  save,
  SaveMessages,
  userMessage,
} from '../../support/chats/operations.js';
import { find, openerWithTexts } from '../../support/chats/search.js';

const openWithTexts = openerWithTexts();

describe('a message is found', () => {
  const text = (result: string[]) => result.toSorted();

  test('on any branch', async () => {
    const parley = await openWithTexts({ m1: 'root word', m2: 'trunk word' });
    await parley.run(Rewind, { input: { chatId: 'c', messageId: 'm1', branchName: 'side' } });
    await save(parley, { chatId: 'c', messages: [assistantMessage('m3', 'side word')] });
    await parley.run(Rewind, { input: { chatId: 'c', messageId: 'm1', branchName: 'empty' } });
    expect(text(await find(parley, 'word'))).toEqual(['m1', 'm2', 'm3']);
    expect(await find(parley, 'side')).toEqual(['m3']);
  });

  test('and its edits, each by its own words', async () => {
    const parley = await openWithTexts({ m1: 'original wording', m2: 'answer' });
    const { editMessage } = await parley.run(EditMessage, {
      input: { chatId: 'c', messageId: 'm1', content: { text: 'edited wording' } },
    });
    if (editMessage.__typename !== 'SaveMessagesPayload') throw new Error(editMessage.message);
    const edit = editMessage.messages[0]!.id;
    expect(await find(parley, 'original')).toEqual(['m1']);
    expect(await find(parley, 'edited')).toEqual([edit]);
    expect(text(await find(parley, 'wording'))).toEqual(text(['m1', edit]));
    const saved = await save(parley, { chatId: 'c', branch: 'main', messages: [userMessage('m2', 'retort')] });
    expect(await find(parley, 'answer')).toEqual(['m2']);
    expect(await find(parley, 'retort')).toEqual([saved.messages[0]?.id]);
  });

  test('for any way of saving: after newer messages, on a fork, or as a retry', async () => {
    const parley = await openWithTexts({ m1: 'one', m2: 'two' });
    const behind = { chatId: 'c', expectedHeadId: 'm1' };
    await save(parley, { ...behind, messages: [userMessage('appended', 'needle')], onConflict: 'APPEND' });
    await save(parley, { ...behind, messages: [userMessage('forked', 'needle')], onConflict: 'FORK' });
    await save(parley, {
      chatId: 'c',
      branch: 'main',
      messages: [userMessage('m1', 'one'), userMessage('new', 'needle')],
    });
    for (let again = 0; again < 2; again++) {
      await save(parley, { chatId: 'c', branch: 'main', messages: [userMessage('twice', 'needle')] });
    }
    expect(text(await find(parley, 'needle'))).toEqual(['appended', 'forked', 'new', 'twice']);
    expect(await find(parley, 'one')).toEqual(['m1']);
  });

  test('as soon as its save is answered, for any number at once', async () => {
    const parley = await openWithTexts({ m1: 'first' });
    const ids = Array.from({ length: 40 }, (_, n) => `w${n}`);
    await Promise.all(
      ids.map(async (id) => {
        await save(parley, { chatId: 'c', messages: [userMessage(id, `needle ${id}`)] });
        expect(await find(parley, id)).toEqual([id]);
      }),
    );
    expect(text(await find(parley, 'needle'))).toEqual(ids.toSorted());
  });

  test('not when its save was refused', async () => {
    const parley = await openWithTexts({ m1: 'one', m2: 'two' });
    await createChat(parley, 'other');
    const messages = [userMessage('x', 'needle')];
    const refused = await Promise.all([
      parley.run(SaveMessages, { input: { chatId: 'c', messages, expectedHeadId: 'm1', onConflict: 'REJECT' } }),
      parley.run(SaveMessages, {
        input: { chatId: 'other', messages: [...messages, userMessage('m1', 'taken')], onConflict: 'REJECT' },
      }),
      parley.run(SaveMessages, {
        input: { chatId: 'c', messages: [...messages, userMessage('y', '\0')], onConflict: 'REJECT' },
      }),
      parley.run(SaveMessages, { input: { chatId: 'nowhere', messages, onConflict: 'REJECT' } }),
    ]);
    expect(refused.map(({ saveMessages }) => saveMessages.__typename)).toEqual([
      'HeadConflictError',
      'AlreadyExistsError',
      'InvalidInputError',
      'NotFoundError',
    ]);
    expect(await find(parley, 'needle')).toEqual([]);
    expect(await find(parley, 'taken')).toEqual([]);
  });

  test('not after its chat was deleted, and again in a new chat', async () => {
    const parley = await openWithTexts({ m1: 'needle one', m2: 'needle two' });
    await createChat(parley, 'other');
    await save(parley, { chatId: 'other', messages: [userMessage('n1', 'needle three')] });
    await parley.ask('mutation { deleteChat(input: { id: "c" }) { __typename } }');
    expect(await find(parley, 'needle')).toEqual(['n1']);
    expect(await find(parley, 'one')).toEqual([]);
    await parley.ask('mutation { deleteChat(input: { id: "c", permanently: true }) { __typename } }');
    if (!isInMemory) {
      const { texts } = await allRowsAt(parley.databaseUrl);
      expect(texts.map((row) => row.messageId)).toEqual(['n1']);
    }
    await createChat(parley, 'c');
    await save(parley, { chatId: 'c', messages: [userMessage('m1', 'needle four')] });
    expect(text(await find(parley, 'needle'))).toEqual(['m1', 'n1']);
    expect(await find(parley, 'one')).toEqual([]);
  });
});
