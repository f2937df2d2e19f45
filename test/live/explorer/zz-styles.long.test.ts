import { writeFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { shareBrowser } from '../../support/chromium.js';
import { openDemo } from './explorer-window.js';

const DUMP = `(() => {
  const skip = /^(width|height|block-size|inline-size|transform-origin|perspective-origin|top|left|right|bottom|inset|animation|transition|--|translate|transform|-webkit-(locale|text)|d$|x$|y$|cx|cy|r$|rx|ry)/;
  const out = [];
  const styles = (el, pseudo) => { const s = getComputedStyle(el, pseudo); if (pseudo && s.content === 'none') return null; const o = []; for (const p of s) if (!skip.test(p)) o.push(p + ':' + s.getPropertyValue(p)); return o; };
  const visit = (el, path) => {
    if (['SCRIPT','STYLE','LINK','META','TITLE','HEAD'].includes(el.tagName)) return;
    out.push([path + ' .' + (el.className?.baseVal ?? el.className), styles(el), styles(el, '::before'), styles(el, '::after')]);
    let n = 0; for (const c of el.children) visit(c, path + '/' + c.tagName + n++);
  };
  visit(document.documentElement, ''); return out;
})()`;

describe('styles', () => {
  const browser = shareBrowser();
  it('dumps', { timeout: 900_000 }, async () => {
    const { page, go } = await openDemo(browser(), '/chats/demo/thread');
    page.setDefaultTimeout(8_000);
    const all: Record<string, unknown> = {};
    const shot = async (name: string) => {
      await page.waitForTimeout(700);
      await page.mouse.move(1, 1);
      await page.waitForTimeout(300);
      all[name] = await page.evaluate(DUMP);
    };
    const step = async (name: string, work: () => Promise<unknown>) => {
      try {
        await work();
        await shot(name);
      } catch (e) {
        all[name] = String(e).slice(0, 300);
      }
      await page.keyboard.press('Escape').catch(() => {});
      await page.keyboard.press('Escape').catch(() => {});
      await page.waitForTimeout(300);
    };
    const button = (name: string | RegExp) => page.getByRole('button', { name }).first();
    for (const [size, width] of [['wide', 1400], ['small', 420]] as const) {
      await page.setViewportSize({ width, height: 900 });
      for (const view of ['thread', 'split', 'graph', 'compare', 'history'])
        await step(`${size} ${view}`, () => go(`/chats/demo/${view}`));
      await step(`${size} state`, async () => { await go('/chats/demo/history'); await button(/^State after/).click(); });
      await step(`${size} home`, () => go('/'));
      await step(`${size} users`, () => go('/users'));
      await step(`${size} erase`, async () => { await button('Erase').click(); });
      await go('/');
      await step(`${size} filter`, () => button('Filter').click());
      await step(`${size} trash`, () => button('Deleted chats').click());
      await step(`${size} rowmenu`, () => page.getByRole('button', { name: /^Actions for/ }).first().click({ force: true }));
      await step(`${size} select`, async () => { await page.getByRole('button', { name: /^Actions for/ }).first().click({ force: true }); await page.getByRole('menuitem', { name: 'Select' }).click(); });
      await step(`${size} search`, () => page.getByRole('searchbox').first().fill('Portugal'));
      await page.reload();
      await go('/chats/demo/thread');
      await page.waitForTimeout(800);
      await step(`${size} palette`, () => page.keyboard.press('Control+k'));
      await step(`${size} shortcuts`, () => page.keyboard.press('?'));
      await step(`${size} more`, () => button('More actions').click());
      await step(`${size} share`, async () => { await button('More actions').click(); await page.getByRole('menuitem', { name: 'Share' }).click(); });
      await step(`${size} link`, async () => { await button('More actions').click(); await page.getByRole('menuitem', { name: 'Share' }).click(); await button('Create link').click(); });
      await step(`${size} branches`, () => page.locator('.branch-chip').click());
      await step(`${size} manage`, async () => { await page.locator('.branch-chip').click(); await page.getByRole('menuitem', { name: /^Manage/ }).click(); });
      await step(`${size} export`, () => button('Export').click());
      await step(`${size} details`, async () => { await button('Details').click({ force: true }); });
      await step(`${size} ask`, async () => { await button('Branch here').click({ force: true }); });
      await step(`${size} messagemenu`, async () => { await button('More for this message').click({ force: true }); });
      await step(`${size} edit`, async () => { await button('Edit').click({ force: true }); });
      await step(`${size} import`, () => button('Import').click());
      await page.reload();
    }
    await page.emulateMedia({ media: 'print' });
    await step('print', () => go('/chats/demo/thread'));
    writeFileSync(process.env['STYLES_TO']!, JSON.stringify(all));
    console.log(Object.entries(all).filter(([, v]) => typeof v === 'string'));
  });
});
