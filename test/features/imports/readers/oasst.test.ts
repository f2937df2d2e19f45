import { describe, expect, it } from 'vitest';
import { isThorough } from '../../../support/effort.js';
import { databaseForEach } from '../../../support/database/database-scope.js';
import { deepest, importContent, importedChats, onlyChat } from '../imported-chats.js';

const database = databaseForEach();

type Message = Record<string, unknown> & { message_id: string; replies: Message[] };

function prompter(id: string, replies: Message[] = [], members: Record<string, unknown> = {}): Message {
  return { message_id: id, text: `text of ${id}`, role: 'prompter', lang: 'en', replies, ...members };
}

function assistant(id: string, rank: number | null, replies: Message[] = []): Message {
  return prompter(id, replies, { role: 'assistant', ...(rank === null ? {} : { rank }) });
}

function tree(id: string, prompt: unknown): Record<string, unknown> {
  return { message_tree_id: id, tree_state: 'ready_for_export', prompt };
}

describe('an OASST tree', () => {
  it('keeps all messages, with siblings by rank and unranked ones last', async () => {
    const prompt = prompter('p', [
      assistant('none1', null),
      assistant('r1', 1, [prompter('q')]),
      assistant('none2', null),
      assistant('r0', 0, [prompter('u', [], { rank: 1 }), prompter('t', [], { rank: 0 })]),
    ]);
    const report = await importContent(database, `${JSON.stringify(tree('t1', prompt))}\n`);
    const chat = await onlyChat(database);
    expect(report.summary().slice(0, 1)).toEqual([
      '1 conversation imported (8 messages), 0 updated (0 new messages), 0 unchanged.',
    ]);
    expect(chat.tree).toEqual(['p', 'r0 < p', 't < r0', 'u < r0', 'r1 < p', 'q < r1', 'none1 < p', 'none2 < p']);
    expect(chat.branches).toEqual({
      main: 't',
      'main-v2': 'u',
      'main-v3': 'q',
      'main-v4': 'none1',
      'main-v5': 'none2',
    });
    expect(chat.metadata.import).toMatchObject({
      source: 'oasst',
      conversationId: 't1',
      treeState: 'ready_for_export',
      lang: 'en',
    });
  });

  it('has the role user for prompters, and keeps the other members of each message', async () => {
    const prompt = prompter('p', [assistant('a', 0)], { review_count: 3, created_date: '2023-02-01T00:00:00+00:00' });
    await importContent(database, JSON.stringify(tree('t1', prompt)));
    const [first, second] = (await onlyChat(database)).messages;
    expect(first?.data).toEqual({
      id: first?.id,
      role: 'user',
      parts: [{ type: 'text', text: 'text of p' }],
      metadata: {
        source: 'oasst',
        id: 'p',
        createTime: '2023-02-01T00:00:00+00:00',
        hash: expect.any(String) as string,
        original: { role: 'prompter', lang: 'en', review_count: 3, created_date: '2023-02-01T00:00:00+00:00' },
      },
    });
    expect(first?.createdAt).toBe(Date.parse('2023-02-01'));
    expect(second?.name).toBe('assistant');
  });

  it('is reported with its line if it is unreadable, and the next ones are imported', async () => {
    const lines = [
      JSON.stringify(tree('t1', prompter('p'))),
      '',
      '{"message_tree_id": "t2", "prompt"',
      JSON.stringify(tree('t3', prompter('p', [prompter('p')]))),
      JSON.stringify(tree('t4', { text: 'no id' })),
      JSON.stringify(tree('t5', prompter('p', [null as unknown as Message]))),
      JSON.stringify({ something: 'else' }),
      JSON.stringify(tree('t6', prompter('p'))),
    ];
    const report = await importContent(database, lines.join('\r\n'));
    expect(report.failures.kept).toEqual([
      expect.stringMatching(/^line 3: it breaks off before its end/),
      'line 4 ("t3"): Message p is in the tree twice',
      'line 5 ("t4"): prompt has no message_id',
      'line 6 ("t5"): A reply to p is not a message',
      expect.stringMatching(/^line 7: no supported format has the fields "something"$/),
    ]);
    expect(Object.keys(await importedChats(database)).sort()).toEqual(['t1', 't6']);
  });

  it('is imported with replies of any depth', async () => {
    const depth = isThorough ? 20_000 : 2_000;
    const open = Array.from(
      { length: depth },
      (_, n) => `{"message_id":"m${n}","text":"t","role":"prompter","replies":[`,
    );
    const json = `{"message_tree_id":"t1","tree_state":"x","prompt":${open.join('')}${']}'.repeat(depth)}}`;
    const report = await importContent(database, json);
    expect(report.failures.kept).toEqual([]);
    expect(await deepest(database)).toBe(depth - 1);
    // And as the element of an array, which is read by other means.
    expect((await importContent(database, `[${json}]`)).conversations.unchanged).toBe(1);
  });
});
