/**
 * The process of a chat application: its page, and an answer handler whose model the test controls over IPC. The environment has
 * PAGE (a script), PARLEY_URL and PORT.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { RemoteStore } from '@parley/context';
import { createAnswerHandler, toNodeHandler } from '@parley/context/answer';

const { PAGE, PARLEY_URL, PORT } = process.env;
const HTML = `<!doctype html><body><script type="module">${readFileSync(PAGE, 'utf8')}</script>`;

let controller;
/** @param {{ chunks?: object[]; failure?: string }} given an error ends the answer, and so does the chunk `finish` */
function onMessage({ chunks = [], failure }) {
  for (const chunk of chunks) controller.enqueue(chunk);
  if (failure !== undefined) controller.error(new Error(failure));
  else if (chunks.at(-1)?.type === 'finish') controller.close();
}
process.on('message', onMessage);

const textOf = ({ parts }) => parts.map(({ text = '' }) => text).join('');

const answer = toNodeHandler(
  createAnswerHandler({
    store: ({ headers }) =>
      new RemoteStore({ url: PARLEY_URL, headers: { authorization: headers.get('authorization') } }),
    stream: ({ messages }) => {
      const chunks = new ReadableStream({ start: (given) => void (controller = given) });
      process.send({ asked: messages.map(textOf) });
      return chunks;
    },
    idleTimeout: 60,
  }),
);

createServer((request, response) => {
  if (request.url.startsWith('/api/chat')) void answer(request, response);
  else response.setHeader('content-type', 'text/html').end(HTML);
}).listen(Number(PORT), '127.0.0.1', () => process.send({ isReady: true }));
