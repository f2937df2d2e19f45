/** The views of a chat in the explorer: thread, branches, comparison, history and drafts. */
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import { AUTH, bearer } from '../../support/server/tokens.js';
import {
  chooseBranch,
  chooseIn,
  isSaved,
  messageItem,
  openDemo,
  openExplorer,
  pressIn,
  violations,
} from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, () => {
  const browser = shareBrowser();
  const demo = (path?: string) => openDemo(browser(), path);

  it('cancelling a form returns the focus to its button', async () => {
    const { page } = await demo('/chats/demo/thread');
    const menu = page.getByRole('button', { name: 'More actions' });
    const hasFocus = () => menu.evaluate((it) => it === document.activeElement);
    const rename = async () => {
      await menu.press('Enter');
      await page.getByRole('menuitem', { name: 'Rename chat' }).press('Enter');
      await page.getByLabel('Name of the chat').waitFor();
    };
    await rename();
    await page.keyboard.press('Escape');
    await expect.poll(hasFocus).toBe(true);
    await rename();
    await page.getByLabel('Name of the chat').fill('Another title');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Another title' }).waitFor();
    await expect.poll(hasFocus).toBe(true);
  });

  it('a message is edited, another version is saved, and a branch continues before it', async () => {
    const { page, ask, complaints } = await demo('/chats/demo/thread');
    await pressIn(messageItem(page, 'What do we eat there?'), 'Edit');
    await page.getByLabel('New text').fill('What do we drink there?');
    await page.getByRole('button', { name: 'Save as a new version' }).click();
    await messageItem(page, 'What do we drink there?').getByRole('group', { name: 'Version 2 of 2' }).waitFor();

    await pressIn(messageItem(page, 'In Porto'), 'Edit');
    await page.getByLabel('New text').fill('In **Coimbra**, for once.');
    await page.getByRole('button', { name: 'Save as a new version' }).click();
    await messageItem(page, 'In Coimbra').locator('strong', { hasText: 'Coimbra' }).waitFor();

    await chooseIn(messageItem(page, 'Where should we spend'), 'Checkpoint');
    await page.getByLabel('Name of the checkpoint').fill('a crossroads');
    await page.keyboard.press('Enter');
    await page.getByRole('note', { name: 'Checkpoint a crossroads' }).waitFor();
    await chooseIn(messageItem(page, 'Where should we spend'), 'Continue from here');
    await expect.poll(() => messageItem(page, 'In Coimbra').count()).toBe(0);
    const { data } = await ask(
      '{ chat(id: "demo") { activeBranch { head { text } } checkpoint(name: "a crossroads") { message { text } } } }',
    );
    const text = 'Where should we spend a weekend in Portugal?';
    expect(data).toEqual({ chat: { activeBranch: { head: { text } }, checkpoint: { message: { text } } } });
    expect(complaints).toEqual([]);
  });

  it('a named branch begins at a message, whose data are shown; an existing name is refused', async () => {
    const { page, ask } = await demo('/chats/demo/thread');
    const first = messageItem(page, 'Where should we spend');
    await chooseIn(first, 'Details');
    const details = page.getByRole('dialog', { name: 'Details' });
    await details.getByText('demo-question', { exact: true }).waitFor();
    await details.getByText('"parts"').click();
    await details.getByRole('button', { name: 'Close' }).click();
    const name = async (branch: string) => {
      await pressIn(first, 'Branch here');
      await page.getByLabel('Name of the branch').fill(branch);
      await page.keyboard.press('Enter');
    };
    await name('packing');
    await page.getByRole('alert').filter({ hasText: 'packing' }).waitFor();
    await name('by the river');
    await page.getByRole('button', { name: 'by the river 2 messages' }).waitFor();
    const { data } = await ask('{ chat(id: "demo") { activeBranch { name head { id } } } }');
    expect(data).toEqual({ chat: { activeBranch: { name: 'by the river', head: { id: 'demo-question' } } } });
  });

  it('branches are switched, renamed, and deleted after their name was typed', async () => {
    const { page, ask } = await demo('/chats/demo/thread');
    await page.getByRole('button', { name: 'main 5 messages' }).click();
    await page.getByRole('menuitem', { name: /^packing/ }).click();
    await messageItem(page, 'In Porto, always.').waitFor();
    await page.getByRole('button', { name: 'packing 7 messages' }).click();
    await page.getByRole('menuitem', { name: 'Manage branches and checkpoints' }).click();
    const row = (name: string) => page.locator('.branches li', { hasText: name });
    await row('packing').getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Name of the branch').fill('what to take along');
    await page.keyboard.press('Enter');
    await row('what to take along').waitFor();
    await row('main-v2×2').getByRole('button', { name: 'Delete' }).click();
    const typed = page.getByLabel('Type main-v2-v2 to delete it');
    await typed.fill('main');
    await page.keyboard.press('Enter');
    await typed.fill('main-v2-v2');
    await page.keyboard.press('Enter');
    await page.getByText('4 branches, 1 checkpoint').waitFor();
    const { data } = await ask('{ chat(id: "demo") { branches { edges { node { name } } } } }');
    const names = ['main', 'main-v2', 'what to take along', 'both cities'];
    expect(data).toEqual({ chat: { branches: { edges: names.map((name) => ({ node: { name } })) } } });
  });

  it('two branches are shown side by side with marked differences', async () => {
    const { page, complaints } = await demo('/chats/demo/compare');
    await chooseBranch(page, 'Right', 'main-v2');
    await page.locator('ins', { hasText: 'Lisbon' }).waitFor();
    expect(await page.locator('del').first().textContent()).toBe('Porto');
    expect(await page.getByRole('region', { name: 'Common until' }).textContent()).toContain('a weekend in Portugal?');
    await page.getByRole('button', { name: 'Swap sides' }).press('Enter');
    await page.locator('ins', { hasText: 'Porto' }).waitFor();
    await page.locator('del', { hasText: 'Lisbon' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('long branches are compared from their common message on, and two versions of one message', async () => {
    const { page, ask, go, complaints } = await demo();
    const messages = Array.from({ length: 250 }, (_, n) => ({ name: 'user', content: { text: `Stop ${n}.` } }));
    await ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
      input: { chatId: 'demo', messages },
    });
    await go('/chats/demo/compare');
    await chooseBranch(page, 'Right', 'main-v2');
    await page.locator('ins', { hasText: 'Lisbon' }).waitFor();
    const common = page.getByRole('region', { name: 'Common until' });
    await common.getByText('2 messages in common').click();
    await common.getByText('You are a travel guide').waitFor();
    expect(await page.locator('.rows').getByText('Stop 249.').count()).toBe(0);
    const more = page.getByRole('button', { name: 'Show more' });
    await more.click();
    await page.locator('.rows').getByText('Stop 150.').waitFor();
    await more.click();
    await page.locator('.rows').getByText('Stop 249.').waitFor();
    expect(await more.count()).toBe(0);

    await go('/chats/demo/compare/demo-answer/demo-other-answer');
    await page.locator('.rows .step', { hasText: 'In Porto' }).getByText('Porto', { exact: true }).waitFor();
    expect(await page.locator('.rows .step').count()).toBe(2);
    expect(await page.locator('del, ins').first().textContent()).toBe('Porto');
    expect(complaints).toEqual([]);
  });

  it('versions are compared as in the thread, with their models, tokens and costs, and found by their names', async () => {
    const { page, ask, go, complaints } = await demo();
    const say = (id: string, name: string, text: string, metadata: object = {}) => ({
      ...{ id, name },
      content: { data: { metadata, role: name, parts: [{ type: 'text', text }] } },
    });
    const save = (messages: object[], at: object = {}) =>
      ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
        input: { chatId: 'two', messages, ...at },
      });
    const usage = (inputTokens: number, outputTokens: number, cost: number) => ({ inputTokens, outputTokens, cost });
    await ask('mutation { createChat(input: { id: "two", title: "Two" }) { __typename } }');
    await save([say('question', 'user', 'Where to?')]);
    await save([
      say('left', 'assistant', 'Go to **Porto** by train', { model: 'small', usage: usage(1_204, 31, 0.0123) }),
      say('left-more', 'user', 'x'.repeat(30_000)),
    ]);
    await ask('mutation { rewind(input: { chatId: "two", at: { message: "question" } }) { __typename } }');
    await save([
      say('right', 'assistant', 'Go to **Lisbon** by train', { model: 'large', usage: usage(1_204, 29, 0.5) }),
      say('right-more', 'user', 'Short'),
    ]);
    const names = Array.from({ length: 60 }, (_, n) => `try ${n}`);
    for (const name of names) {
      await ask('mutation ($input: BtwInput!) { btw(input: $input) { __typename } }', {
        input: { chatId: 'two', branchName: name, at: { message: 'question' } },
      });
    }
    await go('/chats/two/compare/left-more/right-more');
    const side = (at: string) => page.locator(`.rows .step[data-side="${at}"]`);
    await side('left').first().locator('strong > del', { hasText: 'Porto' }).waitFor();
    await side('right').first().locator('strong > ins', { hasText: 'Lisbon' }).waitFor();
    expect(await page.locator('.message-body :is(ins, del)').count()).toBe(2);
    expect(await side('left').first().locator('.facts').innerText()).toMatch(
      /^small\s+1,204 in, 31 out tokens\s+\$0\.012\s/,
    );
    await side('right').first().locator('.facts ins', { hasText: 'large' }).waitFor();
    expect(await page.locator('.sums').allInnerTexts()).toEqual([
      '2 messages · small · 1,204 in, 31 out tokens · $0.012',
      '2 messages · large · 1,204 in, 29 out tokens · $0.50',
    ]);
    expect(await page.getByText('Words are not compared in texts of more than 20,000 characters.').count()).toBe(2);
    expect(await violations(page)).toEqual([]);

    const right = page.getByRole('combobox', { name: 'Right' });
    await right.press('ArrowDown');
    const field = page.getByRole('combobox', { name: 'Name of the branch' });
    await page.getByText('Type a name to find more of 62 branches').waitFor();
    expect(await page.getByRole('option').count()).toBe(50);
    await expect.poll(() => field.evaluate((it) => it === document.activeElement)).toBe(true);
    await page.keyboard.type('try 59');
    await expect.poll(() => page.getByRole('option').count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('This branch ends here.').waitFor();
    await expect.poll(() => right.innerText()).toBe('try 59');
    await expect.poll(() => right.evaluate((it) => it === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await field.fill('no such name');
    await page.getByText('No branch has this name.').waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'hidden' });
    expect(await right.innerText()).toBe('try 59');
    expect(complaints).toEqual([]);
  });

  it('many untitled chats have the words of their messages', async () => {
    const { page, go, ask, complaints } = await demo();
    for (let n = 0; n < 40; n++) {
      await ask(`mutation { createChat(input: { id: "chat${n}" }) { __typename }
        saveMessages(input: { chatId: "chat${n}", messages: [{ name: "user", content: { text: "Chat ${n} of many" } }] }) { __typename } }`);
    }
    await go('');
    await page.getByText('“Chat 39 of many”').first().waitFor();
    await expect.poll(() => page.getByText('Untitled', { exact: true }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('a draft of another client grows, and can be stopped; the composer names the model of the answer', async () => {
    const { page, ask, go } = await demo();
    await go('/chats/demo/thread');
    await messageItem(page, 'What do we eat there?').waitFor();
    await ask('mutation { startDraft(input: { chatId: "demo", id: "d" }) { __typename } }');
    const append = (offset: number, delta: string) =>
      ask(`mutation ($input: AppendToDraftInput!) { appendToDraft(input: $input) { __typename } }`, {
        input: { chatId: 'demo', id: 'd', offset, chunks: [{ type: 'text-delta', id: 't', delta }] },
      });
    await append(0, 'Sardines');
    await messageItem(page, 'Sardines').getByText('writing…').waitFor();
    await append(1, ', of course');
    await page.getByRole('button', { name: 'Stop' }).click();
    await messageItem(page, 'Sardines').getByText('stopping').waitFor();
    const data = { role: 'assistant', metadata: { model: 'llama3.2' }, parts: [{ type: 'text', text: 'Cod' }] };
    await ask('mutation ($input: FinishDraftInput!) { finishDraft(input: $input) { __typename } }', {
      input: { chatId: 'demo', id: 'd', content: { data } },
    });
    await isSaved(messageItem(page, 'Cod'));
    await page.getByTitle('The model of the last answer').filter({ hasText: 'llama3.2' }).waitFor();
  });

  it('hostile content is shown as text, and is not executed', async () => {
    const { page, ask, complaints } = await demo();
    const texts = [
      '<script>window.hurt = 1</script><img src=x onerror="window.hurt = 1"><iframe srcdoc="<script>parent.hurt=1</script>">',
      '[press](javascript:window.hurt=1) ![seen](https://example.invalid/pixel.png) <a href="javascript:hurt=1">here</a>',
      'right \u202E to left \u2066 and \u0000back'.replace('\u0000', ''),
      '$$\\href{javascript:hurt=1}{x}$$ $$\\unknown{$$',
      'x'.repeat(900_000),
    ];
    const save = `mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }`;
    for (const text of texts)
      await ask(save, { input: { chatId: 'demo', messages: [{ name: 'user', content: { text } }] } });
    await page.goto(new URL('/#/chats/demo/thread', page.url()).href);
    await page.mouse.move(700, 400);
    const shown = page.locator('.message-list li');
    await shown.filter({ hasText: 'xxxxxxxxxxxx' }).waitFor();
    for (let n = 0; n < 400 && (await shown.filter({ hasText: '<script>' }).count()) === 0; n++)
      await page.mouse.wheel(0, -20_000);
    await shown.filter({ hasText: '<script>window.hurt' }).waitFor();
    expect(await page.evaluate('window.hurt')).toBeUndefined();
    expect(await page.locator('main img, main iframe, main script, a[href^="javascript:"]').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('a server requires a token; a link to a chat of another user shows nothing of it', async () => {
    const { url } = await startListening({ auth: AUTH, demo: true });
    const { page } = await openExplorer(browser());
    await page.goto(new URL('/#/chats/demo/thread', url).href);
    await page.getByText('This server requires a token.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByLabel('Token').fill('x');
    await page.getByRole('button').click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Token').fill((await bearer('alice')).authorization);
    await page.getByRole('button').click();
    await page.getByText('Chat not found.').waitFor();
    await page.getByText('There are no chats yet.').waitFor();
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Title').waitFor();
    expect(await page.getByText('Users').count()).toBe(0);
  });

  it('the explorer reconnects to a restarted server, and shows all messages of the meantime', async () => {
    const first = await startListening({ demo: true });
    const { port } = new URL(first.url);
    const { page } = await openExplorer(browser());
    await page.goto(new URL('/#/chats/demo/thread', first.url).href);
    await messageItem(page, 'What do we eat there?').waitFor();
    await first.stop();
    await page.getByLabel('Write a message').fill('Are you there?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await messageItem(page, 'Are you there?').getByText('waiting for the server').waitFor();
    await startListening({ databaseUrl: first.databaseUrl, port: Number(port) });
    await isSaved(messageItem(page, 'Are you there?'));
  });

  it('requests during an outage are completed after it', async () => {
    const first = await startListening({ demo: true });
    const { port } = new URL(first.url);
    const { page } = await openExplorer(browser());
    await page.goto(new URL('/#/chats/demo/compare', first.url).href);
    await page.locator('ins').first().waitFor();
    await first.stop();
    await page.getByText('The server is unavailable.').waitFor();
    await chooseBranch(page, 'Right', 'packing');
    await page.locator('main .hint', { hasText: 'Loading…' }).waitFor();
    await startListening({ databaseUrl: first.databaseUrl, port: Number(port) });
    await page.getByText('In Porto, always.').waitFor();
  });
});
