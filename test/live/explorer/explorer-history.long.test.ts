/** The history of a chat in the explorer: the acts of people, Restore, the full log, and earlier states. */
import { describe, expect, it } from 'vitest';
import { startFileServer } from '../../features/files/file-server.js';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { dayOf, isInView, messageItem, openDemo, openExplorer, rootOf } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, () => {
  const browser = shareBrowser();
  const demo = (path?: string) => openDemo(browser(), path);

  it('shows acts with the graph before and after, and restores a state on a new branch', async () => {
    const { page, ask, complaints } = await demo('/chats/demo/history');
    const acts = page.locator('.act');
    await page.getByText('“What do we eat there?”').waitFor();
    // Labels are read after the acts.
    await acts.locator('.branch-name', { hasText: 'way up to Alfama' }).waitFor();
    expect(await acts.locator('.act-title').allInnerTexts()).toEqual([
      'The chat was updated',
      'Asked on a new branch\nboth cities',
      'Asked on a new branch\npacking',
      'Switched to\nmain',
      'Edited the question, new branch\nway up to Alfama',
      'Asked on\nLisbon',
      'Asked for another answer, new branch\nLisbon',
      'Asked on\nmain',
      'Saved a checkpoint',
      'Started the chat',
    ]);
    const edit = acts.filter({ hasText: 'Edited the question' });
    expect(await edit.locator('del').innerText()).toBe('Is the tram worth the queue?');
    // Both dots of the new branch have its colour; the branch is absent before.
    const dots = (n: number) => edit.locator('svg.miniature').nth(n).locator('.mini-dot');
    expect([await dots(0).count(), await dots(1).count()]).toEqual([8, 10]);
    expect(await edit.locator('svg.miniature').nth(1).locator('.mini-lit.mini-dot').count()).toBe(2);
    expect(await page.locator('.day-rail').innerText()).toMatch(/^Today\s+10$/);
    await page.getByRole('button', { name: /^Edits 2/ }).click();
    await expect.poll(() => acts.count()).toBe(2);
    await page.getByRole('button', { name: /^Everything 10/ }).click();

    // By keyboard: the events of an act, and the state after one.
    const title = acts.filter({ hasText: 'What do we eat there?' }).getByRole('button', { expanded: false });
    await title.press('Enter');
    await page.getByRole('button', { name: 'State after event 9' }).press('Enter');
    await page.getByRole('region', { name: 'The chat after event 9' }).getByText('A francesinha').waitFor();
    await page.getByRole('button', { name: 'Close' }).press('Enter');

    const shown = async () =>
      (await ask('{ chat(id: "demo") { activeBranch { name head { id } } branch(name: "main") { head { id } } } }'))
        .data;
    const before = await shown();
    await acts.filter({ hasText: 'Asked for another answer' }).getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Restored on a new branch.').waitFor();
    await acts.first().getByText('Went back').waitFor();
    expect(await acts.first().innerText()).toContain('In Lisbon: take the old tram');
    expect(await acts.first().innerText()).toContain('Now');
    expect(await shown()).toEqual({
      chat: {
        activeBranch: { name: 'main-v3', head: { id: 'demo-other-answer' } },
        branch: { head: { id: 'demo-food-answer' } },
      },
    });
    await page.getByRole('button', { name: 'Undo' }).click();
    await acts.first().getByText('Switched to').waitFor();
    await expect.poll(shown).toEqual(before);
    expect(complaints).toEqual([]);
  });

  it('the full log has every event, and the chat at each of them', async () => {
    const { page, ask, complaints } = await demo('/chats/demo/history');
    await expect.poll(() => page.title()).toBe('A weekend in Portugal – Parley');
    const { data } = await ask('{ chat(id: "demo") { updatedAt } }');
    const { updatedAt } = (data as { chat: { updatedAt: string } }).chat;
    await page.getByRole('button', { name: 'Full log' }).click();
    await expect.poll(() => page.locator('.full-log li').count()).toBe(24);
    const day = page.getByLabel('Day', { exact: true });
    await day.fill(dayOf(Date.parse(updatedAt) - 86_400_000));
    await page.getByText('No events of this kind on this day.').waitFor();
    await day.fill(dayOf(Date.parse(updatedAt)));
    await page.getByLabel('Show').selectOption('Head moves');
    await page.getByRole('link', { name: 'Where should we spend a weekend' }).first().waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Head of main:' }).last().getByRole('button').click();
    const then = page.locator('section', { hasText: 'The chat after event' });
    await then.getByText('main (active)').waitFor();
    expect(await then.getByRole('heading').evaluate(isInView)).toBe(true);
    expect(await then.locator('.step').first().textContent()).toContain('You are a travel guide');
    expect(await then.textContent()).not.toContain('Lisbon');

    await then.getByRole('button', { name: 'Close' }).click();
    await page.setViewportSize({ width: 390, height: 500 });
    await page.getByRole('listitem').filter({ hasText: 'Head of main:' }).last().getByRole('button').click();
    await expect.poll(() => then.getByRole('heading').evaluate(isInView)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('many events of a large chat have the words of their messages, and no ids', async () => {
    const { page, go, ask, complaints } = await demo();
    await ask('mutation { createChat(input: { id: "many" }) { __typename } }');
    const save = (texts: string[]) =>
      ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
        input: { chatId: 'many', messages: texts.map((text) => ({ name: 'user', content: { text } })) },
      });
    for (let n = 0; n < 3; n++) await save(Array.from({ length: 400 }, (_, m) => `Line ${n} ${m}`));
    for (let n = 0; n < 40; n++) await save([`Word ${n} of many`]);
    await go('/chats/many/history');
    const acts = page.locator('.act');
    for (const n of [1, 20, 39]) await page.getByText(`“Word ${n} of many”`).waitFor();
    // The last message is in colour, in a graph that is too large to read.
    expect(await acts.first().locator('svg').last().locator('.mini-lit.mini-dot').count()).toBe(1);
    await page.getByRole('button', { name: 'Full log' }).click();
    for (const n of [1, 20, 39])
      await page
        .getByRole('link', { name: `Word ${n} of many` })
        .first()
        .waitFor();
    expect(await page.locator('.full-log').innerText()).not.toMatch(/[0-9a-f]{8}/);
    expect(complaints).toEqual([]);
  });

  it('names the users of a shared chat, and filters their events', async () => {
    const { url, as } = await startFileServer();
    const ann = await as('ann');
    await ann.createChat('a');
    await ann.save('a', 'm', { role: 'user', parts: [{ type: 'text', text: 'Hello' }] });
    const eve = await as('eve', true);
    await eve.ask('mutation ($input: CreateCheckpointInput!) { createCheckpoint(input: $input) { __typename } }', {
      input: { chatId: 'a', name: 'by eve', messageId: 'm' },
    });
    const { page } = await openExplorer(browser());
    await page.goto(`${rootOf(url)}#/chats/a/history`);
    await page.getByLabel('Token').fill(ann.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.act', { hasText: 'Saved a checkpoint' }).getByText('by eve', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Full log' }).click();
    const events = page.locator('.full-log').getByRole('listitem');
    await events.filter({ hasText: 'by eve' }).waitFor();
    await page.getByLabel('User').selectOption('eve');
    await expect.poll(() => events.allInnerTexts()).toEqual([expect.stringMatching(/Checkpoint by eve[^]*eve/)]);
  });

  it('a link of the full log opens its message', async () => {
    const { page } = await demo('/chats/demo/history');
    await page.getByRole('button', { name: 'Full log' }).click();
    await page.getByRole('link', { name: 'Before nine in the morning' }).first().click();
    await messageItem(page, 'Before nine in the morning').waitFor();
  });
});
