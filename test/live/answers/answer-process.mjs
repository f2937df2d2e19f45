/**
 * A process with an answer handler, on a port that it prints. A question such as `q7 40 words` is answered with 40 words; the model
 * of `q7 40 words, then fails` throws after them.
 */
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { RemoteStore } from '@parley/context';
import { createAnswerHandler, toNodeHandler } from '@parley/context/answer';

const [, , url] = process.argv;
const WORD_MS = 8;

async function* stream({ messages, signal }) {
  const question = messages.findLast(({ role }) => role === 'user').parts[0].text;
  const [, name, count, fails] = /^(\S+) (\d+) words(, then fails)?$/.exec(question);
  for (let n = 0; n < Number(count) && !signal.aborted; n++) {
    await pause(WORD_MS);
    yield `${name}.${n} `;
  }
  if (fails !== undefined) throw new Error('The model fails');
}

const store = new RemoteStore({ url });
const handler = createAnswerHandler({ store, stream, idleTimeout: 10, onError: String });
const server = createServer(toNodeHandler(handler)).listen(0, '127.0.0.1', () =>
  process.stdout.write(`${server.address().port}\n`),
);
