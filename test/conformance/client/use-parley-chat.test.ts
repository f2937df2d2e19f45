/** The documented page of useParleyChat in Chromium, with ai 5, 6 and 7, and answers that a process writes. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { RemoteStore } from '@parley/context';
import { createAnswerHandler, toNodeHandler } from '@parley/context/answer';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chromiumPath, noChromium, openPage, shareBrowser } from '../../support/chromium.js';
import { startListening } from '../../support/server/listening-server.js';
import { frontendCode, programFolder } from '../documented-programs.js';

const PACKAGES = join(import.meta.dirname, '..', 'node_modules');

/** A model whose answer grows on request. */
class Model {
  readonly #answers: { words: string[]; isEnded: boolean; wake: () => void }[] = [];

  get asked(): number {
    return this.#answers.length;
  }

  say(words: string, isEnded = false): void {
    const answer = this.#answers.at(-1);
    if (answer === undefined) throw new Error('The model has no request');
    answer.words.push(words);
    answer.isEnded = isEnded;
    answer.wake();
  }

  stream = async function* (this: Model) {
    const answer = { words: [] as string[], isEnded: false, wake: () => {} };
    this.#answers.push(answer);
    for (;;) {
      yield* answer.words.splice(0);
      if (answer.isEnded) return;
      await new Promise<void>((resolve) => (answer.wake = resolve));
    }
  }.bind(this);
}

/** The page and its route on one port, and a Parley server. @param ai the folder of the AI SDK that the page loads */
async function openApp(ai: string) {
  const model = new Model();
  const files = new Map([['/', '<!doctype html><div id="root"></div><script type="module" src="/page.js"></script>']]);
  const routes: { answer?: ReturnType<typeof toNodeHandler> } = {};
  const server = createServer((request, response) => {
    const file = files.get(new URL(request.url ?? '/', 'http://page').pathname);
    if (file === undefined) return void routes.answer?.(request, response);
    response.setHeader('content-type', request.url === '/page.js' ? 'text/javascript' : 'text/html');
    response.end(file);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const parley = await startListening({ allowedOrigins: [origin] });
  files.set('/page.js', await bundle(ai, parley.url));
  routes.answer = toNodeHandler(
    createAnswerHandler({ store: new RemoteStore({ url: parley.url }), stream: model.stream }),
  );
  return { model, parley, url: `${origin}/` };
}

async function bundle(ai: string, url: string): Promise<string> {
  const path = join(programFolder('use-parley-chat'), 'chat-page.tsx');
  writeFileSync(path, frontendCode('chat-page.tsx').replace('http://127.0.0.1:4000/graphql', url));
  const entry = `
    import { ChatPage } from ${JSON.stringify(path)};
    import { createElement, StrictMode } from 'react';
    import { createRoot } from 'react-dom/client';
    createRoot(document.getElementById('root')).render(
      createElement(StrictMode, null, createElement(ChatPage, { chatId: 'c' })));`;
  const built = await rolldown({
    input: 'entry',
    platform: 'browser',
    logLevel: 'silent',
    resolve: {
      conditionNames: ['@parley/source', 'browser', 'import', 'module', 'default'],
      extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
      alias: { ai: join(PACKAGES, ai), react: join(PACKAGES, 'react'), 'react-dom': join(PACKAGES, 'react-dom') },
    },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? '\0entry.js' : null),
        load: (id) => (id === '\0entry.js' ? entry : null),
      },
    ],
  });
  const { output } = await built.generate({ format: 'esm' });
  await built.close();
  return output[0].code;
}

/** A message as a page shows it. */
type Shown = [id: string, text: string];

/** Runs in the page: records the messages after every change of the document. */
function record() {
  const page = globalThis as unknown as {
    frames: Shown[][];
    document: {
      querySelectorAll(
        selector: string,
      ): Iterable<{ id: string; querySelectorAll: typeof page.document.querySelectorAll; textContent: string }>;
    };
    MutationObserver: new (changed: () => void) => { observe(node: object, options: object): void };
  };
  page.frames = [];
  const changed = () =>
    page.frames.push(
      [...page.document.querySelectorAll('article')].map((article) => [
        article.id,
        [...article.querySelectorAll('p')].map(({ textContent }) => textContent).join(''),
      ]),
    );
  new page.MutationObserver(changed).observe(page.document, { subtree: true, childList: true, characterData: true });
}

const framesOf = (page: Page) => page.evaluate(() => (globalThis as unknown as { frames: Shown[][] }).frames);

/** Every frame has the messages of the frame before, at least as long, with the same ids, once each. */
function expectNoFlicker(frames: readonly Shown[][]): void {
  let before: Shown[] = [];
  for (const frame of frames) {
    const ids = frame.map(([id]) => id);
    expect(new Set(ids).size, 'each message is shown once').toBe(ids.length);
    expect(ids.slice(0, before.length), 'messages stay in their places').toEqual(before.map(([id]) => id));
    before.forEach(([, text], n) => expect(frame[n]?.[1].startsWith(text), 'text only grows').toBe(true));
    before = frame;
  }
}

describe.skipIf(chromiumPath === undefined).each([
  ['6', 'ai'],
  ['5', 'ai-v5'],
  ['7', '../ai-7/node_modules/ai'],
])(`ai %s in a browser${noChromium}`, (_version, ai) => {
  const browser = shareBrowser();

  async function openTab(url: string): Promise<Page> {
    const page = await openPage(browser());
    page.on('pageerror', (error) => expect.unreachable(String(error)));
    await page.addInitScript(record);
    await page.goto(url);
    return page;
  }

  const send = async (page: Page, text: string) => {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };
  const shows = (page: Page, texts: string[], status = 'ready') =>
    expect
      .poll(async () => [
        await page
          .locator('article')
          .evaluateAll((all) => all.map((each) => each.querySelector('p')?.textContent ?? '')),
        await page.locator('main').getAttribute('data-status'),
      ])
      .toEqual([texts, status]);

  test('an answer grows in two tabs without flicker, and arrows lead to each version', async () => {
    const { model, url } = await openApp(ai);
    const [here, there] = [await openTab(url), await openTab(url)];
    await send(here, 'Count');
    await expect.poll(() => model.asked).toBe(1);
    let text = '';
    for (let n = 0; n < 60; n++) {
      model.say(`${n} `);
      text += `${n} `;
      if (n % 10 === 0) await here.getByText(text.trim()).waitFor();
    }
    model.say('end', true);
    for (const page of [here, there]) {
      await shows(page, ['Count', `${text}end`]);
      expectNoFlicker(await framesOf(page));
    }
    expect((await framesOf(here)).at(-1)).toEqual((await framesOf(there)).at(-1));

    await there.getByRole('button', { name: 'Regenerate' }).click();
    await expect.poll(() => model.asked).toBe(2);
    model.say('Another', true);
    for (const page of [here, there]) {
      await shows(page, ['Count', 'Another']);
      const frames = await framesOf(page);
      const first = frames.findIndex(({ length }) => length > 0);
      expect(frames.slice(first).filter(({ length }) => length === 0)).toEqual([]);
    }
    await here.getByRole('button', { name: 'Edit' }).click();
    await here.getByLabel('New text').fill('Name one');
    await here.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => model.asked).toBe(3);
    model.say('Porto', true);
    for (const page of [here, there]) await shows(page, ['Name one', 'Porto']);
    await there.getByRole('button', { name: '‹' }).click();
    for (const page of [here, there]) await shows(page, ['Count', 'Another']);
    await here.getByRole('button', { name: '‹' }).last().click();
    for (const page of [here, there]) await shows(page, ['Count', `${text}end`]);
  });

  test('an answer continues after its page was closed, and a reloaded page resumes it', async () => {
    const { model, url } = await openApp(ai);
    const [here, there] = [await openTab(url), await openTab(url)];
    await send(here, 'Tell');
    await expect.poll(() => model.asked).toBe(1);
    model.say('Once ');
    await shows(there, ['Tell', 'Once '], 'streaming');
    await here.close();
    model.say('upon ');
    await shows(there, ['Tell', 'Once upon '], 'streaming');
    await there.reload();
    await shows(there, ['Tell', 'Once upon '], 'streaming');
    model.say('a time.', true);
    await shows(there, ['Tell', 'Once upon a time.']);
    expectNoFlicker((await framesOf(there)).filter((frame) => frame.length > 0));
    await send(there, 'And then?');
    await expect.poll(() => model.asked).toBe(2);
    await there.getByRole('button', { name: 'Stop' }).click();
    await shows(there, ['Tell', 'Once upon a time.', 'And then?']);
  });
});
