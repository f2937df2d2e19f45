/** The audit log records the sessions of pages, without their secrets. */
import { expect, it } from 'vitest';
import { bearer } from '../../support/server/tokens.js';
import { auditFile } from '../audit/audited-server.js';
import { JSON_BODY, startWithSessions } from './page-sessions.js';

async function startAudited() {
  const { auditLog, lines, text } = auditFile();
  const server = await startWithSessions({ auditLog });
  /** The lines about sessions, when the server has stopped. */
  const recorded = async () => {
    await server.stop();
    return lines().filter(({ event }) => event.startsWith('session.'));
  };
  return { ...server, recorded, text };
}

it('the audit log has the user, the address and the session of each sign-in and sign-out', async () => {
  const server = await startAudited();
  const { page } = await server.signIn(await bearer('ann', true));
  await server.send('DELETE', '/session', { ...page, 'x-request-id': 'sign-out' });
  const [opened, ended, ...others] = await server.recorded();
  const line = { result: 'ok', userId: 'ann', isAdmin: true, accessTokenId: null, chatIds: [], route: '/session' };
  expect(opened).toMatchObject({ ...line, event: 'session.opened', address: '127.0.0.1' });
  expect(opened!.target).toMatch(/^[0-9a-f-]{36}$/);
  expect(ended).toMatchObject({ ...line, event: 'session.ended', target: opened!.target, requestId: 'sign-out' });
  expect(others).toEqual([]);
});

it('the audit log has the access token of a session, and neither secrets nor refused requests', async () => {
  const server = await startAudited();
  const { id, headers } = await server.token(await bearer('alice'), { scopes: ['READ'] });
  const { setCookie } = await server.signIn(headers);
  await server.send('POST', '/session', { ...JSON_BODY, origin: server.origin }, '{"token":"x"}');
  const recorded = await server.recorded();
  expect(recorded.map(({ event, accessTokenId }) => [event, accessTokenId])).toEqual([['session.opened', id]]);
  expect(server.text()).not.toMatch(new RegExp(`eyJ|parley_|${/=([\w-]{43});/.exec(setCookie)![1]!}`));
});

it('the audit log has each session that a sign-out everywhere, a new sign-in or the 101st session ends', async () => {
  const server = await startAudited();
  const alice = await bearer('alice');
  const first = await server.signIn(alice);
  for (let n = 1; n < 100; n++) await server.signIn(alice);
  const { page } = await server.signIn(alice);
  const token = JSON.stringify({ token: (await bearer('bob')).authorization.slice('Bearer '.length) });
  await server.send('POST', '/session', { ...JSON_BODY, ...page }, token);
  const last = await server.signIn(alice);
  await server.send('DELETE', '/session?everywhere=true', last.page);
  await server.send('DELETE', '/session', first.page);
  const recorded = await server.recorded();
  const idsOf = (event: string, userId: string) =>
    recorded.filter((line) => line.event === event && line.userId === userId).map(({ target }) => target);
  const opened = idsOf('session.opened', 'alice');
  // The oldest was displaced; the newest but one was replaced by the session of bob.
  expect(idsOf('session.ended', 'bob')).toEqual([opened[100]]);
  const ended = idsOf('session.ended', 'alice');
  expect([ended[0], ...ended.slice(1).sort()]).toEqual([
    opened[0],
    ...opened.filter((id) => ![opened[0], opened[100]].includes(id)).sort(),
  ]);
});
