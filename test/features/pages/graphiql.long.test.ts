/** GraphiQL in a browser, on a newly started server. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { chromiumPath, noChromium, shareBrowser } from '../../support/chromium.js';
import { editor, execute, openGraphiQL, result, run, startWithDemo, TABS, tabsOf } from './graphiql-window.js';

describe('GET /graphql', () => {
  async function get(url: string, headers: IncomingHttpHeaders) {
    const sent = request(url, { headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
  }

  it('sends browsers the complete compressed page, which may only connect to this server', async () => {
    const { url } = await startWithDemo();
    const { status, headers, body } = await get(url, { accept: 'text/html', 'accept-encoding': 'gzip' });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'no-cache',
      etag: `"${createHash('sha256').update(body).digest('base64url')}"`,
    });
    const html = gunzipSync(body).toString();
    // Not toContain: its failure message would contain nine megabytes.
    expect(['<title>Parley</title>', 'query NewestChat'].map((part) => html.includes(part))).toEqual([true, true]);

    const policy = new Map(
      headers['content-security-policy']!.toString()
        .split('; ')
        .map((directive) => {
          const [name, ...sources] = directive.split(' ');
          return [name, sources];
        }),
    );
    expect(policy.get('default-src')).toEqual(["'none'"]);
    expect(policy.get('connect-src')).toEqual(["'self'"]);
    expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
    const hosts = [...policy.values()].flat().filter((source) => !/^('.*'|data:|blob:)$/.test(source));
    expect(hosts).toEqual([]);
  });

  it('sends the page once to a browser that caches it', async () => {
    const { url } = await startWithDemo();
    const accept = 'text/html';
    const { headers } = await get(url, { accept });
    const again = await get(url, { accept, 'if-none-match': headers.etag });
    expect(again).toMatchObject({ status: 304, headers: { etag: headers.etag } });
    expect(again.body).toHaveLength(0);
    expect((await get(url, { accept, 'if-none-match': '"another"' })).status).toBe(200);
  });

  it('runs a query when the request has one, or does not accept HTML', async () => {
    const { url } = await startWithDemo();
    const query = encodeURIComponent('{ viewer { userId } }');
    const asked = await get(`${url}?query=${query}`, { accept: 'text/html, application/json' });
    expect(JSON.parse(asked.body.toString())).toEqual({ data: { viewer: { userId: 'local' } } });
    const { headers } = await get(url, { accept: 'application/json' });
    expect(headers['content-type']).not.toContain('text/html');
  });
});

describe.skipIf(chromiumPath === undefined)(`GraphiQL in Chromium${noChromium}`, () => {
  const browser = shareBrowser();

  it('shows the demo, and has a runnable tab for each everyday operation', async () => {
    const { page, foreign, complaints } = await openGraphiQL(browser());
    await editor(page).getByText('query NewestChat').waitFor();
    await execute(page).click();
    await result(page).getByText('"A weekend in Portugal"').first().waitFor();
    expect(await tabsOf(page).allTextContents()).toEqual(TABS);

    const everyday = [
      ['Save', 'SaveMessagesPayload'],
      ['Edit', 'SaveMessagesPayload'],
      ['Arrows', 'BranchPayload'],
      ['Rewind', 'BranchPayload'],
      ['Switch', 'BranchPayload'],
      ['Checkpoint', 'CheckpointPayload'],
      ['Restore', 'BranchPayload'],
    ] as const;
    for (const [operation, payload] of everyday) {
      await run(page, 'mutation', operation);
      await result(page).getByText(`"${payload}"`).waitFor();
    }
    const questions = [
      ['Chats', '"totalCount": 1'],
      ['Search', '<mark>river</mark>'],
      ['Message', '"depth": 1'],
      ['Branches', '"createdAtMessage"'],
      ['Compare', '"DIVERGED"'],
      ['Events', '"seq"'],
      ['Users', '"lastActiveAt"'],
      ['Context', '<role>'],
    ] as const;
    for (const [operation, found] of questions) {
      await run(page, 'query', operation);
      await result(page).getByText(found).first().waitFor();
    }
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
