/** Chats in the formats of other programs, and their reading. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { createCheckpoint } from '../../../src/conversation/branches/checkpoints.js';
import { editMessage, saveMessages } from '../../../src/conversation/saving/save.js';
import { messageText } from '../../../src/conversation/text/message-text.js';
import { ChatArchive } from '../../../src/features/exports/archive.js';
import { WRITERS } from '@parley/interchange/server';
import { chatGraph, messagesOn } from '../../../packages/interchange/src/writers/writer.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { temporaryFile, temporaryFolder } from '../../support/temporary-folder.js';
import { atDatabase, contentOf } from '../../cli/database-content.js';
import { exportFrom, importTo } from './run-export.js';

const database = () => `file:${temporaryFile()}`;
const HOSTILE = '</div><script>alert(1)</script> & "quotes"\n# no heading\u2028';

/** A fork at its second message, and hostile texts. */
async function writeForked(url: string): Promise<void> {
  await atDatabase(url, async ({ store }) => {
    const chatId = 'forked';
    await createChat(store, VIEWER, { id: chatId, title: 'A <b>fork</b>' });
    const say = (id: string, name: string, text: string) => ({ id, name, type: 'message', content: { text } });
    const messages = [say('q', 'user', 'Why?'), say('a', 'assistant', 'Because.'), say('t', 'user', HOSTILE)];
    await saveMessages(store, VIEWER, { chatId, messages });
    await editMessage(store, VIEWER, { chatId, messageId: 'a', content: { text: 'Therefore.' }, id: 'b' });
    await createCheckpoint(store, VIEWER, { chatId, name: 'first', messageId: 'q' });
  });
}

/** Every path from a root to a leaf, as roles and texts. */
async function paths(url: string): Promise<string[][]> {
  const { messages } = await contentOf(url);
  const said = new Map(messages.map((message) => [message.id, message]));
  const path = (id: string | null): string[] => {
    const message = id === null ? undefined : said.get(id);
    if (message === undefined) return [];
    return [...path(message.parentId), `${message.name}: ${messageText(JSON.parse(message.data))}`];
  };
  const leaves = messages.filter(({ id }) => messages.every(({ parentId }) => parentId !== id));
  return leaves.map(({ id }) => path(id)).sort();
}

async function file(url: string, format: string, ...args: string[]): Promise<string> {
  const path = `${temporaryFile()}.${format}`;
  const result = await exportFrom(url, path, '--format', format, ...args);
  expect(result).toMatchObject({ code: 0, error: [] });
  expect(result.out.join('\n')).toContain('This format does not keep:');
  return path;
}

describe('a chat in the format of another program', () => {
  it.each(['parley', 'chatgpt', 'oasst', 'open-webui', 'librechat'])(
    'as %s has the same graph after reading',
    async (format) => {
      const [from, to] = [database(), database()];
      await writeForked(from);
      const path = await file(from, format);
      expect(await importTo(to, path)).toMatchObject({ code: 0, error: [] });
      expect(await paths(to)).toEqual(await paths(from));
      expect((await importTo(to, path)).out[0]).toContain('1 unchanged');
    },
  );

  it.each(['chatgpt', 'open-webui'])('as %s keeps the active leaf', async (format) => {
    const [from, to] = [database(), database()];
    await writeForked(from);
    await importTo(to, await file(from, format));
    const { branches, messages } = await contentOf(to);
    const head = messages.find(({ id }) => id === branches.find(({ isActive }) => isActive)?.headMessageId);
    expect(head?.preview).toBe('Therefore.');
  });

  it('as librechat is one object per file, because a list would be detected as ChatGPT', async () => {
    const url = database();
    await writeForked(url);
    const conversation = { conversationId: 'forked', messages: [{}, {}, {}, {}] };
    expect(JSON.parse(readFileSync(await file(url, 'librechat', '--chat', 'forked'), 'utf8'))).toMatchObject(
      conversation,
    );
    const folder = temporaryFolder();
    expect(await exportFrom(url, folder, '--format', 'librechat')).toMatchObject({ code: 0, error: [] });
    const [name = ''] = readdirSync(folder);
    expect(JSON.parse(readFileSync(join(folder, name), 'utf8'))).toMatchObject(conversation);
    const zip = `${temporaryFile()}.zip`;
    expect(await exportFrom(url, zip, '--format', 'librechat')).toMatchObject({ code: 0, error: [] });
    expect(readFileSync(zip).toString('latin1')).toMatch(/A-b-fork-b\.forked\.json/);
    const to = database();
    expect(await importTo(to, zip)).toMatchObject({ code: 0, error: [] });
    expect(await paths(to)).toEqual(await paths(url));
  });

  it('as open-webui has a models list and complete answers', async () => {
    const url = database();
    await writeForked(url);
    const [{ chat }] = JSON.parse(readFileSync(await file(url, 'open-webui'), 'utf8')) as [
      { chat: { models: string[]; history: { messages: Record<string, { done?: boolean }> } } },
    ];
    expect(chat.models).toEqual(['']);
    const done = Object.entries(chat.history.messages).map(([id, message]) => [id, message.done]);
    expect(Object.fromEntries(done)).toEqual({ q: undefined, a: true, t: undefined, b: true });
  });

  it('is valid without chats, and with an empty chat', async () => {
    const [none, empty] = [database(), database()];
    await atDatabase(none, () => Promise.resolve());
    await atDatabase(empty, ({ store }) => createChat(store, VIEWER, { id: 'empty' }));
    for (const { name, extension } of WRITERS) {
      for (const url of [none, empty]) {
        const text = readFileSync(await file(url, name), 'utf8');
        if (extension === 'json') expect(JSON.parse(text)).toHaveLength(url === none ? 0 : 1);
        if (extension === 'jsonl') for (const line of text.split('\n').slice(0, -1)) JSON.parse(line);
      }
    }
  });

  it('as completions has a line for each requested path', async () => {
    const url = database();
    await writeForked(url);
    const lines = async (which: string) =>
      readFileSync(await file(url, 'completions', '--paths', which), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) =>
          (JSON.parse(line) as { messages: { content: string }[] }).messages.map(({ content }) => content),
        );
    expect(await lines('active')).toEqual([['Why?', 'Therefore.']]);
    expect(await lines('leaves')).toEqual([
      ['Why?', 'Because.'],
      ['Why?', 'Therefore.'],
    ]);
    expect(await lines('checkpoints')).toEqual([]);
  });

  it.each(['completions', 'markdown', 'html'])(
    'as %s reports the number of exported messages, each counted once',
    async (name) => {
      const url = database();
      await writeForked(url);
      const reportOf = async (which: string) =>
        (await exportFrom(url, `${temporaryFile()}.x`, '--format', name, '--paths', which)).out.slice(0, 2).join(' ');
      expect(await reportOf('active')).toMatch(
        /^1 chat exported \(2 messages\), as .*\. 2 messages are on none of the requested paths: see --paths\.$/,
      );
      expect(await reportOf('checkpoints')).toContain('(1 message), as');
      expect(await reportOf('leaves')).toMatch(/^1 chat exported \(4 messages\), as .*\. This format does not keep:$/);
    },
  );

  it('as html is a page without scripts', async () => {
    const url = database();
    await writeForked(url);
    const page = readFileSync(await file(url, 'html', '--paths', 'leaves'), 'utf8');
    expect(page).toContain('<h1>A &lt;b&gt;fork&lt;/b&gt;</h1>');
    expect(page).toContain('&lt;/div&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot;');
    expect(page).not.toMatch(/<script|<img|<link|https?:|\son\w+=/i);
    expect(page).toContain("default-src 'none'");
  });

  it('as html renders Markdown without raw HTML and without content of other servers', async () => {
    const url = database();
    const text = [
      '# Plan\n\n- **one**\n- [two](https://a.example/)\n\n```js\n<b>1</b>\n```\n\n| a |\n| - |\n| b |',
      '![pixel](https://tracker.example/p.png) <img src=x onerror=alert(1)> [run](javascript:alert(2))',
    ].join('\n\n');
    const long = `**plain** <i>${'x'.repeat(32 * 1024)}`;
    await atDatabase(url, async ({ store }) => {
      await createChat(store, VIEWER, { id: 'text' });
      const say = (id: string, text: string) => ({ id, name: 'assistant', type: 'message', content: { text } });
      await saveMessages(store, VIEWER, { chatId: 'text', messages: [say('m1', text), say('m2', long)] });
    });
    const page = readFileSync(await file(url, 'html'), 'utf8');
    for (const part of [
      '<h1>Plan</h1>',
      '<li><strong>one</strong></li>',
      '<a href="https://a.example/">two</a>',
      '<code class="language-js">&lt;b&gt;1&lt;/b&gt;\n</code>',
      '<td>b</td>',
      '!<a href="https://tracker.example/p.png">pixel</a> &lt;img src=x onerror=alert(1)&gt; [run](javascript:alert(2))',
      '<p class="plain">**plain** &lt;i&gt;xxx',
    ]) {
      expect(page).toContain(part);
    }
    expect(page).not.toMatch(/<img|<script|href="(?!https:)/);
  });

  it('keeps the model of each answer, and the last one as the model of the chat', async () => {
    const url = database();
    await atDatabase(url, async ({ store }) => {
      await createChat(store, VIEWER, { id: 'models' });
      const say = (id: string, model: string) => ({
        id,
        name: 'assistant',
        type: 'message',
        content: { data: { role: 'assistant', metadata: { model }, parts: [{ type: 'text', text: id }] } },
      });
      await saveMessages(store, VIEWER, { chatId: 'models', messages: [say('m1', 'small'), say('m2', 'large')] });
    });
    expect(JSON.parse(readFileSync(await file(url, 'open-webui'), 'utf8'))).toMatchObject([
      { chat: { models: ['large'], history: { messages: { m1: { model: 'small' }, m2: { model: 'large' } } } } },
    ]);
    expect(JSON.parse(readFileSync(await file(url, 'librechat', '--chat', 'models'), 'utf8'))).toMatchObject({
      options: { model: 'large' },
      messages: [{ model: 'small' }, { model: 'large' }],
    });
  });

  it('as markdown is readable Markdown', async () => {
    const url = database();
    await writeForked(url);
    const text = readFileSync(await file(url, 'markdown'), 'utf8');
    expect(text.replace(/_\d{4}-.*_/g, '_time_')).toBe(
      '# A \\<b\\>fork\\</b\\>\n\n_time_\n\n## user\n\n_time_\n\nWhy?\n\n## assistant\n\n_time_\n\nTherefore.\n',
    );
  });

  it('as markdown and html lists the omitted parts of a message, and omits empty messages', async () => {
    const url = database();
    await atDatabase(url, async ({ store }) => {
      await createChat(store, VIEWER, { id: 'tools', title: 'Tools' });
      const say = (id: string, ...parts: object[]) => ({
        id,
        name: 'assistant',
        type: 'message',
        content: { data: { parts } },
      });
      const thought = { type: 'reasoning', text: 'Hm.' };
      const call = { type: 'data-tool-call', data: { toolName: 'web', toolCallId: 'c', input: {} } };
      const result = { type: 'dynamic-tool', toolName: '<web>', toolCallId: 'c', state: 'output-available' };
      const image = { type: 'file', mediaType: 'image/png', filename: 'a_b.png', url: 'data:image/png;base64,AA==' };
      const others = [
        'data:image/svg+xml;base64,AA==',
        'https://a.example/b.png',
        'data:image/png;base64,"onerror="alert(1)',
        'data:text/html;base64,AA==',
      ].map((url) => ({ ...image, filename: 'page', url }));
      const messages = [
        say('m1', { type: 'text', text: '' }),
        say('m2', thought, call),
        say('m3', { ...result, input: {}, output: 1 }, { type: 'text', text: 'Look.' }, image, ...others),
      ];
      await saveMessages(store, VIEWER, { chatId: 'tools', messages });
    });
    const text = readFileSync(await file(url, 'markdown'), 'utf8');
    expect(text.replace(/_\d{4}-.*_/g, '_time_')).toBe(
      '# Tools\n\n_time_\n\n## assistant\n\n_time_\n\n_Not shown: thoughts, call of web_\n\n' +
        '## assistant\n\n_time_\n\nLook.\n\n_Not shown: tool \\<web\\>, file a\\_b.png, file page_\n',
    );
    const page = readFileSync(await file(url, 'html'), 'utf8');
    expect(page.match(/<article/g)).toHaveLength(2);
    expect(page).toContain('</time>\n<p class="rest">Not shown: thoughts, call of web</p>\n</article>');
    const shown = '<img alt="a_b.png" src="data:image/png;base64,AA==">';
    expect(page).toContain(
      `<div class="said"><p>Look.</p>\n</div>\n${shown}\n<p class="rest">Not shown: tool &lt;web&gt;, file page</p>`,
    );
    expect(page.match(/<img/g)).toHaveLength(1);
    expect(page).not.toMatch(/alert|svg|https?:/);
  });
});

it('an export writes each message of a path once, also if the parents of damaged rows form a cycle', async () => {
  await atDatabase(database(), async (opened) => {
    await createChat(opened.store, VIEWER, { id: 'c' });
    const messages = ['a', 'b'].map((id) => ({ id, name: 'user', type: 'message', content: { text: id } }));
    await saveMessages(opened.store, VIEWER, { chatId: 'c', messages });
    const chat = (await new ChatArchive(opened.connection).read('c', null))!;
    const graph = await chatGraph(chat);
    const parents = new Map([...graph.parents, ['a', 'b'] as const]);
    const ids: string[] = [];
    for await (const { id } of messagesOn(chat, { ...graph, parents }, { name: 'main', lastId: 'b' })) ids.push(id);
    expect(ids).toEqual(['a', 'b']);
  });
});
