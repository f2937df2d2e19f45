/** Two people in two browsers, who share a chat while its model fails and its processes are killed. */
import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../../../test/support/chromium.js';
import { abandon } from '../open-parley.js';
import { bundlePage, openApp } from './open-app.js';

describe.skipIf(chromiumPath === undefined)(`in Chromium${noChromium}`, () => {
  const browser = shareBrowser();
  let script = '';
  beforeAll(async () => {
    script = await bundlePage();
  });

  /** A chat with these messages, which both people show. */
  async function openBoth(...texts: string[]) {
    const app = await openApp(browser(), script, ...texts);
    const people = [await app.open('ann'), await app.open('ben')] as const;
    const both = (run: (person: (typeof people)[number]) => Promise<unknown>) => Promise.all(people.map(run));
    const bothShow = (thread: string, status?: string) => both((person) => person.shows(thread, status));
    await bothShow(texts.join(' | '));
    await both((person) => person.isLive());
    const [ann, ben] = people;
    return { ...app, ann, ben, both, bothShow };
  }

  test('a model that fails after some words is a masked error of both pages, and a retry answers again', async () => {
    const { application, store, ann, ben, both, bothShow } = await openBoth('q');
    await ann.send('Why?');
    await application.isAsked('q', 'Why?');
    application.begin('Be');
    await bothShow('q | Why? | Be', 'streaming');
    application.fail('secret');
    await bothShow('q | Why? | Be', 'error');
    await both(async (person) => {
      await person.alert('The answer failed.');
      await person.last('incomplete: The answer failed.');
      expect(await person.errors()).toEqual(['The answer failed.']);
      expect(await person.tab.content()).not.toContain('secret');
    });
    await ben.tab.reload();
    await ben.shows('q | Why? | Be');
    await ben.last('incomplete: The answer failed.');
    await ann.press('Retry');
    await application.isAsked('q', 'Why?');
    await expect.poll(() => application.asked.length).toBe(2);
    application.answer('Because.');
    await bothShow('q | Why? | Because.');
    await both((person) => person.last('2/2'));
    expect((await store.getGraph('c')).nodes).toHaveLength(4);
  });

  /** Holds the requests that end an abandoned answer until both pages have seen it and sent theirs. */
  async function holdResumed(people: readonly { tab: Page }[]) {
    let requests = 0;
    let release = () => {};
    const haveAllArrived = new Promise<void>((resolve) => (release = resolve));
    for (const { tab } of people) {
      await tab.route(
        (url) => url.pathname === '/api/chat' && url.search !== '',
        async (route) => {
          if (++requests === people.length) release();
          await haveAllArrived;
          await route.continue();
        },
      );
    }
  }

  /** Lets requests to the answer route pass after `release`. */
  async function hold(page: Page) {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const held = new Promise<void>((resolve) => {
      void page.route('**/api/chat', async (route) => {
        resolve();
        await released;
        await route.continue();
      });
    });
    return { held, release };
  }

  const CHOICES = [
    ['append', 'q | A | a1 | B | b1', ['main']],
    ['fork', 'q | B | b1', ['main', 'main-v2']],
    ['discard', 'q | A | a1', ['main']],
  ] as const;
  describe.each(['at once', 'after being offline'] as const)('a message that is sent %s', (time) => {
    test.each(CHOICES)('is a conflict that %s resolves, and moves no page before', async (choice, thread, branches) => {
      const { application, store, ann, ben, both, bothShow } = await openBoth('q');
      if (time === 'at once') {
        const [first, second] = [await hold(ann.tab), await hold(ben.tab)];
        await ann.send('A');
        await ben.send('B');
        await Promise.all([first.held, second.held]);
        first.release();
        await application.isAsked('q', 'A');
        second.release();
      } else {
        await ben.context.setOffline(true);
        await ben.send('B');
        await ben.shows('q | B', 'submitted');
        await expect.poll(() => ben.kept()).toBe(1);
        await ann.send('A');
        await application.isAsked('q', 'A');
        await ben.context.setOffline(false);
      }
      application.answer('a1');
      await bothShow('q | A | a1');
      await ben.conflict('B after A');
      await both(async (person) => {
        await person.main({ branch: 'main' }).waitFor();
        expect(await person.errors()).toEqual([]);
      });
      expect(await ann.tab.locator('section').count()).toBe(0);
      expect((await store.listBranches('c')).map(({ name }) => name)).toEqual(['main']);
      await ben.press(choice);
      if (choice !== 'discard') {
        await expect.poll(() => application.asked.at(-1)?.at(-1)).toBe('B');
        application.answer('b1');
      }
      await bothShow(thread);
      await ben.tab.locator('section').waitFor({ state: 'detached' });
      await expect.poll(() => ben.kept()).toBe(0);
      expect((await store.listBranches('c')).map(({ name }) => name).sort()).toEqual(branches);
      expect((await store.getGraph('c')).nodes).toHaveLength(choice === 'discard' ? 3 : 5);
    });
  });

  test('a message that is sent while the server is killed survives a reload, and is saved and answered once', async () => {
    const { server, application, store, ben, bothShow } = await openBoth('q');
    await server.kill();
    await ben.send('Keep this');
    await ben.shows('q | Keep this', 'submitted');
    await expect.poll(() => ben.kept()).toBe(1);
    await ben.tab.reload();
    await ben.shows('Keep this', 'submitted');
    await server.startAgain();
    await application.isAsked('q', 'Keep this');
    application.answer('Kept.');
    await bothShow('q | Keep this | Kept.');
    await expect.poll(() => ben.kept()).toBe(0);
    await ben.tab.reload();
    await ben.shows('q | Keep this | Kept.');
    expect(application.asked).toHaveLength(1);
    expect((await store.getGraph('c')).nodes).toHaveLength(3);
  });

  /** Ben sends a message, and its processes are killed before its first word and before Ben has the response. */
  async function loseResponse({ server, application, ben }: Awaited<ReturnType<typeof openBoth>>) {
    let lose = () => {};
    const lost = new Promise<void>((resolve) => (lose = resolve));
    const losing = async (route: Route) => {
      const request = route.request();
      const headers = await request.allHeaders();
      void fetch(request.url(), { method: 'POST', headers, body: request.postData() }).catch(() => {});
      await lost;
      await route.abort('connectionreset');
    };
    await ben.tab.route('**/api/chat', losing, { times: 1 });
    await ben.send('Keep this');
    await application.isAsked('q', 'Keep this');
    await Promise.all([server.kill(), application.kill()]);
    lose();
  }

  test('a message whose response is lost with the killed processes is saved and answered once', async () => {
    const app = await openBoth('q');
    const { server, application, store, ben, bothShow } = app;
    await loseResponse(app);
    await abandon(app);
    await Promise.all([server.startAgain(), application.startAgain()]);
    await expect.poll(() => application.asked.length).toBe(2);
    application.answer('Kept.');
    await bothShow('q | Keep this | Kept.');
    await expect.poll(() => ben.kept()).toBe(0);
    expect((await store.getGraph('c')).nodes).toHaveLength(3);
  });

  test('a message that is sent again before the answer of the killed process is abandoned gets an error, and a retry', async () => {
    const app = await openBoth('q');
    const { server, application, store, ben } = app;
    await loseResponse(app);
    const repeated = ben.tab.waitForResponse((response) => response.url().endsWith('/api/chat') && response.ok());
    await Promise.all([server.startAgain(), application.startAgain()]);
    await repeated;
    await abandon(app);
    await ben.shows('q | Keep this', 'error');
    expect(await ben.errors()).toHaveLength(1);
    await ben.press('Retry');
    await expect.poll(() => application.asked.length).toBe(2);
    application.answer('Kept.');
    await ben.shows('q | Keep this | Kept.');
    await expect.poll(() => ben.kept()).toBe(0);
    expect((await store.getGraph('c')).nodes).toHaveLength(3);
  });

  test('an answer continues after the server is killed while it is written, and both pages keep its text', async () => {
    const { server, application, store, ann, both, bothShow } = await openBoth('q');
    await ann.send('Why?');
    await application.isAsked('q', 'Why?');
    application.begin('Be');
    await bothShow('q | Why? | Be', 'streaming');
    await server.kill();
    await both((person) => person.main({ store: 'away' }).waitFor());
    await bothShow('q | Why? | Be', 'streaming');
    application.words('cause');
    await server.startAgain();
    await bothShow('q | Why? | Because', 'streaming');
    application.words(' so.');
    application.end();
    await bothShow('q | Why? | Because so.');
    expect(application.asked).toHaveLength(1);
    expect((await store.getGraph('c')).nodes).toHaveLength(3);
  });

  test('an answer whose processes are all killed ends as incomplete, and can be regenerated', async () => {
    const { server, application, databaseUrl, store, ann, ben, both, bothShow } = await openBoth('q');
    await ann.send('Why?');
    await application.isAsked('q', 'Why?');
    application.begin('Be');
    await bothShow('q | Why? | Be', 'streaming');
    await Promise.all([server.kill(), application.kill()]);
    await both((person) => person.main({ store: 'away' }).waitFor());
    await bothShow('q | Why? | Be', 'streaming');
    await abandon({ databaseUrl });
    await Promise.all([server.startAgain(), application.startAgain()]);
    await both((person) => person.last('incomplete'));
    await bothShow('q | Why? | Be');
    await ben.press('Regenerate');
    await expect.poll(() => application.asked.length).toBe(2);
    application.answer('Because.');
    await bothShow('q | Why? | Because.');
    await both((person) => person.last('2/2'));
    expect((await store.getGraph('c')).nodes).toHaveLength(4);
  });

  test('an answer without content whose processes are killed is an error of both pages, and a retry answers', async () => {
    const { server, application, databaseUrl, store, ann, ben, both, bothShow } = await openBoth('q');
    await ann.send('Why?');
    await application.isAsked('q', 'Why?');
    await bothShow('q | Why? |', 'submitted');
    await Promise.all([server.kill(), application.kill()]);
    await both((person) => person.main({ store: 'away' }).waitFor());
    await abandon({ databaseUrl });
    await holdResumed([ann, ben]);
    await Promise.all([server.startAgain(), application.startAgain()]);
    await bothShow('q | Why?', 'error');
    await both(async (person) => {
      await person.alert('The answer was abandoned.');
      expect(await person.errors()).toEqual(['The answer was abandoned.']);
    });
    await ben.press('Retry');
    await expect.poll(() => application.asked.length).toBe(2);
    application.answer('Because.');
    await ben.shows('q | Why? | Because.');
    expect((await store.getGraph('c')).nodes).toHaveLength(3);
  });

  test('an answer after an answer is regenerated beside it', async () => {
    const { application, store, ann, both, bothShow } = await openBoth('q', 'a', 'b');
    await ann.press('Regenerate');
    await application.isAsked('q', 'a');
    application.answer('b2');
    await bothShow('q | a | b2');
    await both((person) => person.last('2/2'));
    const { nodes } = await store.getGraph('c');
    expect(nodes.map(({ content, parentId }) => [content, parentId])).toEqual([
      ['q', null],
      ['a', 'q'],
      ['b', 'a'],
      ['b2', 'a'],
    ]);
  });

  test('stop ends the answer that is written, while another version of it is shown', async () => {
    const { application, store, ann, ben, bothShow } = await openBoth('q', 'a');
    await ann.press('Regenerate');
    await application.isAsked('q');
    application.begin('a2');
    await bothShow('q | a2', 'streaming');
    await ben.press('Previous');
    await ben.shows('q | a');
    await ben.press('Stop');
    await expect.poll(() => store.listDrafts('c')).toEqual([]);
    const { nodes } = await store.getGraph('c');
    expect(nodes.map(({ content, parentId }) => [content, parentId])).toEqual([
      ['q', null],
      ['a', 'q'],
      ['a2', 'q'],
    ]);
  });
});
