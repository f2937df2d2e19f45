/**
 * A process with an answer handler on a port that it prints. Its model returns a number every 5 ms, or nothing. The last argument is the
 * idle timeout in seconds.
 */
import { createServer } from 'node:http';
import { RemoteStore } from '@parley/context';
import { createAnswerHandler, toNodeHandler } from '@parley/context/answer';

const [, , url, isSilent, idleTimeout = '10'] = process.argv;

async function* stream({ signal }) {
  for (let n = 0; !signal.aborted; n++) {
    if (isSilent !== 'silent') yield `${n} `;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const handler = createAnswerHandler({ store: new RemoteStore({ url }), stream, idleTimeout: Number(idleTimeout) });
const server = createServer(toNodeHandler(handler)).listen(0, '127.0.0.1', () =>
  process.stdout.write(`${server.address().port}\n`),
);
