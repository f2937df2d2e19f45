/** The first page of the explorer: figures, chats with pictures, imports, and the first visit. */
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import { openDemo, openExplorer, rootOf, violations } from './explorer-window.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  it('shows live figures, chats with pictures of their graphs, and the import first', async () => {
    const { page, ask, complaints } = await openDemo(browser());
    const card = page.locator('.cards a', { hasText: 'A weekend in Portugal' });
    await card.getByText('16 messages, 5 branches').waitFor();
    // A dot for each message, and a colour for each branch.
    await expect.poll(() => card.locator('.mini-dot').count()).toBe(16);
    expect(await card.locator('svg g').count()).toBe(5);
    const figures = page.locator('.figures dl > div');
    await expect.poll(() => figures.allInnerTexts()).toEqual(['Chats\n1', 'This week\n1 chat']);
    const writing = card.getByText('writing', { exact: true });
    await ask('mutation { startDraft(input: { chatId: "demo", id: "draft" }) { __typename } }');
    await writing.waitFor();
    await ask(
      'mutation { finishDraft(input: { chatId: "demo", id: "draft", content: { text: "Yes." } }) { __typename } }',
    );
    await writing.waitFor({ state: 'detached' });
    await card.getByText('17 messages, 5 branches').waitFor();

    await ask('mutation { createChat(input: { id: "new", title: "Another" }) { __typename } }');
    await expect.poll(() => figures.allInnerTexts()).toEqual(['Chats\n2', 'This week\n2 chats']);
    const empty = page.locator('.cards a', { hasText: 'Another' });
    await empty.getByText('Empty', { exact: true }).waitFor();
    const height = async (of: Locator) => (await of.boundingBox())?.height;
    expect(await height(empty)).toBe(await height(card));
    expect(await page.locator('.home h3').first().innerText()).toBe('Bring your ChatGPT or Claude history');
    await page.getByRole('link', { name: 'Open the demo' }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('reads its figures at most once in a second', async () => {
    const { url, ask } = await startListening({ demo: true });
    const { page } = await openExplorer(browser());
    await page.clock.install();
    const frames: string[] = [];
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => frames.push(String(payload))));
    await page.goto(rootOf(url));
    const figures = page.locator('.figures dd').first();
    await expect.poll(() => figures.innerText()).toBe('1');
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const reads: string[] = [];
    page.on('request', (request) => reads.push(request.postData() ?? ''));
    for (let n = 0; n < 5; n++) {
      await ask(`mutation { createChat(input: { id: "new${n}" }) { __typename } }`);
      await expect.poll(() => frames.some((frame) => frame.includes(`"new${n}"`))).toBe(true);
      await page.clock.runFor(150);
      await page
        .locator('.chats li')
        .nth(n + 1)
        .waitFor();
    }
    await page.clock.runFor(1_000);
    await expect.poll(() => figures.innerText()).toBe('6');
    expect(reads.filter((read) => read.includes('ReadFigures')).length).toBeLessThanOrEqual(2);
  });

  it('plays once how a branch begins, without motion where that is reduced', async () => {
    const { page } = await openDemo(browser());
    const answer = page.locator('.branch-card').getByText('coats.');
    const motion = () =>
      page.evaluate(() => {
        const all = document.querySelector('.branch-card')!.getAnimations({ subtree: true });
        // Buttons have transitions.
        return all.filter((each) => each instanceof CSSAnimation).map((each) => each.playState);
      });
    await page.getByRole('button', { name: 'Pause' }).click();
    await expect.poll(async () => new Set(await motion())).toEqual(new Set(['paused']));
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await expect.poll(async () => (await motion()).includes('running')).toBe(true);
    await page.evaluate(() => {
      for (const each of document.querySelector('.branch-card')!.getAnimations({ subtree: true })) each.finish();
    });
    await page.getByRole('button', { name: 'Replay' }).waitFor();
    expect(await motion()).toEqual([]);

    await page.reload();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await expect.poll(async () => (await motion()).includes('running')).toBe(true);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Pause' }).waitFor({ state: 'hidden' });
    expect(await motion()).toEqual([]);
    expect(await answer.isVisible()).toBe(true);
  });

  it('begins with a chat or an import on the first visit, and ends an import with pictures', async () => {
    const { url } = await startListening();
    const { page, complaints } = await openExplorer(browser());
    await page.goto(rootOf(url));
    await page.getByRole('heading', { name: 'Change the question. Keep both answers.' }).waitFor();
    await page.getByRole('button', { name: 'Start a chat' }).waitFor();
    expect(await page.locator('.figures, .cards').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    const lines = ['What is a graph?', 'Nodes and edges.'].map((content, n) => ({
      role: n === 0 ? 'user' : 'assistant',
      content,
    }));
    const files = {
      name: 'chat.jsonl',
      mimeType: 'application/jsonl',
      buffer: Buffer.from(JSON.stringify({ messages: lines })),
    };
    await page.locator('#import-files').setInputFiles(files);
    const report = page.getByRole('status', { name: 'Import of chat.jsonl' });
    await report.getByText('Done', { exact: true }).waitFor();
    await expect.poll(() => report.locator('.mini-dot').count()).toBe(2);
    await page.locator('.cards a').first().waitFor();
    expect(complaints).toEqual([]);
  });
});
