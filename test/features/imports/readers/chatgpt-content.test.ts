import { describe, expect, it } from 'vitest';
import { databaseForEach } from '../../../support/database/database-scope.js';
import { temporaryDatabase } from '../../../support/database/temporary-database.js';
import { conversation, message, nodeOf } from './chatgpt-export.js';
import { importContent, onlyChat } from '../imported-chats.js';

const database = databaseForEach();

/** The imported message of a conversation with one message, which has these members. */
async function importMessage(members: Record<string, unknown>) {
  const given = conversation(['a']);
  nodeOf(given, 'a').message = message('a', members);
  const report = await importContent(database, [given]);
  expect(report.failures.kept).toEqual([]);
  const [saved] = (await onlyChat(database)).messages;
  if (saved === undefined) throw new Error('nothing was saved');
  return { ...saved, warnings: report.warnings.kept };
}

describe('the content of a ChatGPT message', () => {
  it.each<[content: unknown, parts: unknown[]]>([
    [{ content_type: 'text', parts: ['one', 'two'] }, [text('one'), text('two')]],
    [{ content_type: 'text', parts: [''] }, [text('')]],
    [{ content_type: 'code', language: 'python', text: 'print(1)' }, [text('print(1)')]],
    [{ content_type: 'execution_output', text: '1' }, [text('1')]],
    [
      { content_type: 'multimodal_text', parts: [{ content_type: 'image_asset_pointer', width: 3 }, 'a cat'] },
      [{ type: 'data-image_asset_pointer', data: { content_type: 'image_asset_pointer', width: 3 } }, text('a cat')],
    ],
    [
      { content_type: 'multimodal_text', parts: [{ content_type: 'audio_transcription', text: 'said' }] },
      [text('said')],
    ],
    [{ content_type: 'tether_quote', url: 'https://example.org', text: 'quoted' }, [text('quoted')]],
    [{ content_type: 'tether_browsing_display', result: 'found', summary: null }, [text('found')]],
    [
      {
        content_type: 'thoughts',
        thoughts: [
          { summary: 'Why', content: 'because' },
          { summary: '', content: 'so' },
        ],
      },
      [reasoning('Why\n\nbecause'), reasoning('so')],
    ],
    [{ content_type: 'reasoning_recap', content: 'Thought for 3 s' }, [reasoning('Thought for 3 s')]],
    [
      { content_type: 'user_editable_context', user_profile: 'me', user_instructions: 'be short' },
      [text('me'), text('be short')],
    ],
    [
      { content_type: 'app_widget', state: { open: true } },
      [{ type: 'data-app_widget', data: { content_type: 'app_widget', state: { open: true } } }],
    ],
    [{ content_type: 'thoughts', thoughts: 'aloud' }, [reasoning('aloud')]],
    [{ content_type: 'multimodal_text', parts: [{ content_type: 'text', text: 'inside' }] }, [text('inside')]],
    [
      { content_type: 'model_editable_context', model_set_context: '', repository: null, structured_context: { a: 1 } },
      [
        {
          type: 'data-model_editable_context',
          data: {
            content_type: 'model_editable_context',
            model_set_context: '',
            repository: null,
            structured_context: { a: 1 },
          },
        },
      ],
    ],
    [{ content_type: 'code', language: 'unknown', response_format_name: null, text: '' }, [text('')]],
    [null, [text('')]],
  ])('%j becomes parts', async (content, parts) => {
    const saved = await importMessage({ content });
    expect(saved.data.parts).toEqual(parts);
  });

  it('keeps the other members of the original once', async () => {
    const members = {
      author: { role: 'user', name: 'Ann' },
      create_time: 1.5,
      recipient: 'all',
      weight: 0,
      x: null,
    };
    const saved = await importMessage({ ...members, content: { content_type: 'text', parts: ['one'], extra: [1] } });
    expect(saved.data).toEqual({
      id: saved.id,
      role: 'user',
      parts: [text('one')],
      metadata: {
        source: 'chatgpt',
        id: 'a',
        createTime: 1.5,
        hash: expect.any(String) as string,
        original: {
          content: { content_type: 'text', extra: [1] },
          author: { role: 'user', name: 'Ann' },
          recipient: 'all',
          weight: 0,
          x: null,
          metadata: {},
        },
      },
    });
    expect([saved.name, saved.createdAt]).toEqual(['user', 1500]);
  });

  it('keeps the complete content if the parts do not contain its exact text', async () => {
    const content = { content_type: 'text', parts: ['one', ''] };
    const saved = await importMessage({ content });
    expect(saved.data.parts).toEqual([text('one')]);
    expect(saved.data.metadata['original']).toMatchObject({ content });
  });

  it('falls back to the time of the conversation for an invalid time, and keeps the original value', async () => {
    for (const time of [-1, 1e15, 'yesterday']) {
      const fresh = await temporaryDatabase();
      const given = conversation(['a']);
      nodeOf(given, 'a').message = message('a', { create_time: time });
      await importContent(fresh, [given]);
      const [saved] = (await onlyChat(fresh)).messages;
      expect(saved?.createdAt).toBe(1_700_000_000_500);
      expect(saved?.data.metadata['createTime']).toBe(time);
      await fresh.remove();
    }
  });

  it('takes the time of its neighbours where it has none, and a chat that of its newest message', async () => {
    const given = conversation(['(r)', 'a < r', 'b < a', 'c < b', 'd < b'], { create_time: null, update_time: null });
    for (const [id, time] of Object.entries({ a: null, b: 2000, c: null, d: 3000 })) {
      nodeOf(given, id).message = message(id, { create_time: time });
    }
    await importContent(database, [given]);
    const chat = await onlyChat(database);
    expect(chat.messages.map(({ createdAt }) => createdAt)).toEqual([2_000_000, 2_000_000, 2_000_000, 3_000_000]);
    expect([chat.createdAt, chat.updatedAt]).toEqual([2_000_000, 3_000_000]);
  });

  it('has a chat changed at its creation where the file says that it was changed before', async () => {
    await importContent(database, [conversation(['a'], { create_time: 1700002000.5, update_time: 1700002000 })]);
    const chat = await onlyChat(database);
    expect([chat.createdAt, chat.updatedAt]).toEqual([1_700_002_000_500, 1_700_002_000_500]);
  });

  it('shows what was attached where nothing else is said', async () => {
    const attachments = [{ id: 'file-1', name: 'notes.txt' }];
    const saved = await importMessage({ content: { content_type: 'text', parts: [''] }, metadata: { attachments } });
    expect(saved.data.parts).toEqual([{ type: 'data-attachment', data: { id: 'file-1', name: 'notes.txt' } }]);
  });

  it('has the page that a tool has read as a source', async () => {
    const page = { content_type: 'sonic_webpage', url: 'https://soup.example', title: 'Soup', text: 'Leeks.' };
    const saved = await importMessage({ author: { role: 'tool', name: 'web.run' }, content: page });
    expect(saved.data.parts).toMatchObject([
      { type: 'dynamic-tool', toolName: 'web.run', output: 'Leeks.' },
      { type: 'source-url', url: 'https://soup.example', title: 'Soup' },
    ]);
  });

  it('has the input of the call of its tool above it, unless a user has written since', async () => {
    const inputs = async (nodes: string[], name = 'web') => {
      const fresh = await temporaryDatabase();
      const given = conversation(nodes);
      const author = { role: 'assistant' };
      const content = { content_type: 'code', text: '{"q":1}' };
      nodeOf(given, 'call').message = message('call', { author, recipient: 'web.run', content });
      nodeOf(given, 'page').message = message('page', { author: { role: 'tool', name } });
      await importContent(fresh, [given]);
      const { data } = (await onlyChat(fresh)).messages.at(-1)!;
      await fresh.remove();
      return (data.parts as { input?: unknown }[]).map(({ input }) => input);
    };
    expect(await inputs(['call', 'page < call'])).toEqual([{ q: 1 }]);
    expect(await inputs(['call', 'page < call'], 'python')).toEqual([{}]);
    expect(await inputs(['call', 'a < call', 'page < a'])).toEqual([{}]);
  });

  it("is the system's where a developer speaks", async () => {
    const saved = await importMessage({ author: { role: 'developer' } });
    expect([saved.name, saved.warnings]).toEqual(['system', []]);
  });

  it('gives a message of an unknown role to the assistant, with a warning', async () => {
    const saved = await importMessage({ author: { role: 'critic' } });
    expect(saved.name).toBe('assistant');
    expect(saved.warnings).toEqual([expect.stringContaining('no known role')]);
  });
});

it('a hidden message of ChatGPT has no preview', async () => {
  const saved = await importMessage({ metadata: { is_visually_hidden_from_conversation: true } });
  expect(saved.data).toMatchObject({ metadata: { hidden: true }, parts: [text('text of a')] });
  expect((await database.allRows()).messages).toMatchObject([{ preview: '' }]);
});

describe('the chat of a ChatGPT conversation', () => {
  it('has the title and times of the conversation, and its source', async () => {
    await importContent(database, [
      conversation(['a'], { default_model_slug: 'gpt-4', is_archived: false, gizmo_id: null }),
    ]);
    expect(await onlyChat(database)).toMatchObject({
      title: 'A talk',
      userId: 'local',
      createdAt: 1_700_000_000_500,
      updatedAt: 1_700_000_100_250,
      metadata: {
        import: {
          source: 'chatgpt',
          conversationId: 'c1',
          title: 'A talk',
          activeNode: 'a',
          createTime: 1700000000.5,
          updateTime: 1700000100.25,
          model: 'gpt-4',
          original: { is_archived: false },
        },
      },
    });
  });

  it('is recognised by its creation time and first message if the conversation has no id', async () => {
    const first = conversation(['(r)', 'a < r'], { conversation_id: undefined, title: 'Before' });
    const longer = conversation(['(r)', 'a < r', 'b < a'], { conversation_id: undefined, title: 'After' });
    await importContent(database, [first]);
    await importContent(database, [longer]);
    expect((await onlyChat(database)).tree).toEqual(['a', 'b < a']);
  });

  it('is that of its place in the file if nothing else identifies the conversation', async () => {
    const nameless = { conversation_id: undefined, create_time: null, title: 'Soup' };
    const file = [conversation(['a'], nameless), conversation(['a'], nameless), { mapping: {} }];
    const report = await importContent(database, file);
    expect(report.failures.kept).toEqual([expect.stringContaining('conversation 3: Nothing identifies')]);
    const rows = await database.allRows();
    expect(rows.chats).toHaveLength(2);
    expect((await importContent(database, file)).conversations.unchanged).toBe(2);
    expect(await database.allRows()).toEqual(rows);
  });
});

function text(value: string) {
  return { type: 'text', text: value };
}

function reasoning(value: string) {
  return { type: 'reasoning', text: value };
}
