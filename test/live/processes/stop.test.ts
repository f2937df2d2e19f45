/** Shutdown after a signal. */
import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startConfigured } from '../../support/server/configured-server.js';
import { Branches, CreateChat, SaveMessages, userMessage } from '../../support/chats/operations.js';
import { holdDatabase } from '../../support/database/raw-database.js';
import { startServer } from '../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

describe('a server that receives a signal', () => {
  const saveLate = {
    query: SaveMessages.toString(),
    variables: { input: { chatId: 'chat', messages: [userMessage('late')], onConflict: 'REJECT' } },
  };

  // Keep-alive clients may keep their connection.
  const ENDS = [
    ['SIGTERM', true, ''],
    ['SIGINT', false, '\nGoodbye. Running operations are finished first; Ctrl-C again ends them at once.\n'],
  ] as const;
  it.each(ENDS)(
    'with %s accepts no more connections, answers the running request, and exits with 0',
    async (signal, keepAlive, lastLines) => {
      const DATABASE_URL = temporaryDatabaseUrl();
      const server = await startServer({ DATABASE_URL, MIGRATE_ON_START: 'true', SHUTDOWN_TIMEOUT_MS: '600000' });
      await server.run(CreateChat, { input: { id: 'chat' } });
      // The held lock makes a save wait.
      const holder = await holdDatabase(DATABASE_URL);
      const agent = new Agent({ keepAlive, maxSockets: 1 });
      onTestFinished(() => agent.destroy());

      const sent = await sendOnceReceived(server.url, saveLate, { agent });
      server.kill(signal);
      await refused(server.url);
      await holder.release();

      const answer = await sent.answer;
      expect(answer.statusCode).toBe(200);
      expect(JSON.parse(await text(answer))).toMatchObject({
        data: { saveMessages: { __typename: 'SaveMessagesPayload', messages: [{ id: 'late' }] } },
      });
      // The kept connection receives no further response.
      const again = request(server.url, { agent });
      again.end();
      const failed: unknown = await once(again, 'response').catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(Error);
      const { stdout, ...exit } = await server.exited;
      expect(exit).toEqual({ code: 0, signal: null, stderr: '' });
      expect(stdout.endsWith(`require tokens.\n${lastLines}`), stdout).toBe(true);

      const next = await startConfigured({ DATABASE_URL });
      const { chat } = await next.run(Branches, { id: 'chat' });
      expect(chat!.branches.edges.map(({ node }) => node.chain)).toEqual([[{ id: 'late' }]]);
    },
  );
});

/**
 * Sends a request whose body follows when the server has received the headers: then the request is certainly running.
 * @returns the pending response
 */
async function sendOnceReceived(
  url: string,
  body: unknown,
  options: RequestOptions = {},
): Promise<{ answer: Promise<IncomingMessage> }> {
  const sent = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', expect: '100-continue' },
    ...options,
  });
  const answer = once(sent, 'response').then(([response]) => response as IncomingMessage);
  sent.flushHeaders();
  await once(sent, 'continue');
  await new Promise<void>((resolve) => sent.end(JSON.stringify(body), resolve));
  return { answer };
}

/** Settles when the server refuses new connections. */
async function refused(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (!isOpen) return;
  }
}
