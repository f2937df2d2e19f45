/** The examples, run as in their READMEs: from the root of a clone, and in an empty folder with the packed packages. */
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { npmInstall } from '../../package/npm-install.js';
import { packAll, PROJECT } from '../../package/packed.js';
import { prebuiltSqlite } from '../../package/prebuilt-sqlite.js';
import { outputOf } from '../../package/run.js';
import { chooseFiles, shownFiles } from './choose-files.js';
import { chromiumPath, noChromium, openPage, shareBrowser } from '../../support/chromium.js';
import { freePort } from '../../support/server/free-port.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { start } from './start-program.js';

const EXAMPLES = join(PROJECT, 'examples');
/** The packages of this repository that each example installs. */
const PACKAGES = {
  'chat-react': ['parley', 'parley-client'],
  agent: ['parley-context'],
  answer: ['parley-context', 'parley-interchange'],
  'next-chat': ['parley-client', 'parley-context'],
};
/** Files that running an example leaves in its folder. */
const MADE = new Set(['node_modules', '.next']);

/** A tab of the chat, with the actions of a user. */
function tabOf(page: Page) {
  const line = (text: string | RegExp) => page.locator('li', { hasText: text });
  return {
    page,
    line,
    /** The texts of the shown thread, with the arrows. */
    lines: () => page.locator('li').evaluateAll((all) => all.map((each) => (each as { innerText: string }).innerText)),
    isLive: () => page.getByRole('status').getByText('live', { exact: true }).waitFor(),
    say: async (text: string) => {
      await page.getByLabel('Say something').fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
    },
    /** Waits for a complete answer to a question at the end of the thread. */
    hasAnswer: async (question: string) => {
      await page
        .locator('li:not([data-status])', { hasText: answerTo(question) })
        .last()
        .waitFor();
    },
  };
}
const answerTo = (question: string) => `You said “${question}”, which has ${question.length} characters.`;

/** The actions of a new user. @param restart kills the server with SIGKILL, and starts it again */
async function walk(pages: [Page, Page], url: string, restart: () => Promise<void>): Promise<void> {
  const complaints: string[] = [];
  for (const page of pages) page.on('pageerror', (error) => complaints.push(String(error)));
  const [here, there] = pages.map(tabOf) as [ReturnType<typeof tabOf>, ReturnType<typeof tabOf>];
  await here.page.goto(url);
  await here.isLive();
  // The chat does not exist yet when the other tab opens it.
  await there.page.goto(here.page.url());
  await there.isLive();

  await here.say('Hello');
  // The other tab shows the answer while it streams.
  await there.page.locator('li[data-status=streaming]', { hasText: 'You said' }).waitFor();
  for (const tab of [here, there]) await tab.hasAnswer('Hello');

  await there.line(answerTo('Hello')).getByRole('button', { name: 'Regenerate' }).click();
  await there.page.locator('li[data-status=streaming]', { hasText: 'You said' }).waitFor();
  for (const tab of [here, there]) await tab.line('2/2').waitFor();

  await here.line('2/2').getByLabel('Previous version').click();
  for (const tab of [here, there]) await tab.line('1/2').waitFor();

  // An edited question is a branch with a separate answer.
  await here.page.locator('li[data-name=user]').getByRole('button', { name: 'Edit' }).click();
  await here.page.getByLabel('Edited').fill('Good day');
  await here.page.getByRole('button', { name: 'Save' }).click();
  for (const tab of [here, there]) await tab.hasAnswer('Good day');
  await there.line('2/2').getByLabel('Previous version').click();
  for (const tab of [here, there]) await tab.hasAnswer('Hello');

  await restart();
  for (const tab of [here, there]) await tab.isLive();
  await there.say('Still there?');
  for (const tab of [here, there]) await tab.hasAnswer('Still there?');
  expect(await here.lines()).toEqual(await there.lines());
  expect(await here.page.locator('li').count()).toBe(4);
  // Open another chat, and return.
  const before = here.page.url();
  await here.page.getByRole('link', { name: 'A new chat' }).click();
  await expect.poll(() => here.page.locator('li').count()).toBe(0);
  await here.page.goto(before);
  await here.hasAnswer('Still there?');
  expect(complaints).toEqual([]);
}

describe.skipIf(chromiumPath === undefined)(`in a browser${noChromium}`, () => {
  const browser = shareBrowser();

  test('npm run example:chat is a page and a server', async () => {
    const port = String(await freePort());
    const database = temporaryDatabaseUrl();
    const options = ['--port', port, '--host', '127.0.0.1'];
    await start(['npm', 'run', 'example:chat', '--', ...options], PROJECT, /Local:/, { DATABASE_URL: database });
    const tab = tabOf(await openPage(browser()));
    await tab.page.goto(`http://127.0.0.1:${port}/`);
    await tab.isLive();
    await tab.say('Hello');
    await tab.hasAnswer('Hello');

    // An upload that hangs can be cancelled; a stored file can be removed.
    await tab.page.route('**/files*', () => {});
    await chooseFiles(tab.page, ['cancelled.png']);
    await tab.page.getByRole('progressbar', { name: 'Upload of cancelled.png' }).waitFor();
    await tab.page.getByText('Cancel', { exact: true }).click();
    await tab.page.unroute('**/files*');
    await chooseFiles(tab.page, ['photo.png', 'removed.png', 'notes.txt']);
    await tab.page.getByLabel('Remove removed.png').click();
    await tab.say('Look');
    await tab.hasAnswer('Look');
    expect(await shownFiles(tab.line('Look').first())).toEqual(['photo.png', 'notes.txt']);
  });

  describe('in an empty folder, with the packed packages', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-examples-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    let missing: string | undefined;

    beforeAll(async () => {
      const tarball = await packAll(join(folder, 'parley'));
      const sqlite = await prebuiltSqlite(join(folder, 'prebuilt'));
      for (const [name, packages] of Object.entries(PACKAGES)) {
        const own = join(folder, name);
        cpSync(join(EXAMPLES, name), own, { recursive: true, filter: (path) => !MADE.has(basename(path)) });
        missing ??= (await npmInstall(['npm', 'install', ...packages.map(tarball)], own, sqlite)).missing;
      }
    });

    beforeEach(({ skip }) => skip(missing !== undefined, missing));

    /** Starts the server of an example on a port, as in its README. */
    const serve = (name: string, port: number) =>
      start(['npm', 'run', 'server'], join(folder, name), /Parley is ready/, { PORT: String(port) });

    test('two tabs send, edit, regenerate and switch, and survive a killed server', async () => {
      const [port, pagePort] = [await freePort(), await freePort()];
      let server = await serve('chat-react', port);
      await start(
        ['npm', 'start', '--', '--host', '127.0.0.1', '--port', String(pagePort)],
        join(folder, 'chat-react'),
        /Local:/,
        { PARLEY_URL: `http://127.0.0.1:${port}` },
      );
      const pages: [Page, Page] = [await openPage(browser()), await openPage(browser())];
      await walk(pages, `http://127.0.0.1:${pagePort}/`, async () => {
        await server.kill();
        for (const page of pages)
          await page
            .getByRole('status')
            .filter({ hasNotText: /^live$/ })
            .waitFor();
        server = await serve('chat-react', port);
      });
    });

    test('the agent answers after messages that were sent in a browser meanwhile', async () => {
      const port = await freePort();
      await serve('chat-react', port);
      const agent = await start(['npm', 'start'], join(folder, 'agent'), /The chat is at (\S+)\. Ask/, {
        PARLEY_URL: `http://127.0.0.1:${port}`,
      });
      agent.write('What is the weather in Porto?\n');
      await expect.poll(agent.printed).toContain('In Porto it is {"city":"Porto","sky":"clear","celsius":21}.\n');
      const page = await openPage(browser());
      await page.goto(agent.match[1]!);
      await page.locator('.thread li', { hasText: 'In Porto it is' }).waitFor();
      await page.getByLabel('Write a message').fill('I am from Faro');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.locator('.thread li:not([data-status])', { hasText: 'I am from Faro' }).waitFor();
      agent.write('Well?\n');
      const answer = 'So far you have asked: “What is the weather in Porto?”, “I am from Faro”, “Well?”.';
      await expect.poll(agent.printed).toContain(answer);
      await page.locator('.thread li:not([data-status])', { hasText: answer }).waitFor();
    });

    test('a process answers the questions in all chats', async () => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/graphql`;
      await serve('chat-react', port);
      const args = ['--', '--model', 'echo', '--url', url];
      const answering = await start(['npm', 'start', ...args], join(folder, 'answer'), /Answering all chats/);
      const message = '{ name: "user", content: { text: "Hello" } }';
      const query = `mutation {
        upsertChat(input: { id: "c" }) { __typename }
        saveMessages(input: { chatId: "c", messages: [${message}] }) { __typename }
      }`;
      const headers = { 'content-type': 'application/json' };
      await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
      await expect.poll(answering.printed).toContain('of chat c (main) was answered');
    });

    test('the Next.js chat type-checks against the packages, and builds for production', async () => {
      const own = join(folder, 'next-chat');
      const settings = readFileSync(join(own, 'tsconfig.json'), 'utf8');
      const output = await outputOf('npx', ['next', 'build'], own, { NEXT_TELEMETRY_DISABLED: '1' });
      expect(output).toContain('/api/chat');
      expect(readFileSync(join(own, 'tsconfig.json'), 'utf8')).toBe(settings);
    });
  });

  test('npm run example:context prints an input of a model, and saves an answer', async () => {
    const printed = await outputOf('npm', ['run', '--silent', 'example:context'], PROJECT, {
      DATABASE_URL: temporaryDatabaseUrl(),
    });
    expect(printed).toContain('You are a travel guide.');
    expect(printed).toMatch(/Saved: branch main has 7 messages\.$/m);
  });

  test('npm run example:agent answers in a terminal', async () => {
    const database = temporaryDatabaseUrl();
    const agent = await start(['npm', 'run', 'example:agent'], PROJECT, /Ask something/, { DATABASE_URL: database });
    agent.write('Hello\n');
    await expect.poll(agent.printed).toContain('So far you have asked: “Hello”.');
  });
});

test('the chat is at most 240 lines of source', () => {
  const src = join(EXAMPLES, 'chat-react/src');
  const lines = readdirSync(src).map((name) => readFileSync(join(src, name), 'utf8').trimEnd().split('\n').length);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(240);
  expect(existsSync(join(src, 'main.tsx'))).toBe(true);
});
