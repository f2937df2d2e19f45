/** An endpoint with OpenAI's chat completions API, like those of local model servers. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface CompletionRequest {
  model: string;
  messages: { role: string; content: unknown }[];
  max_tokens?: number;
  stream?: boolean;
  authorization: string | undefined;
}

export interface ModelEndpoint {
  /** The value for --base-url. */
  url: string;
  readonly requests: CompletionRequest[];
}

/**
 * @param answer returns the words of an answer, or the status of an error; called with the number of the request, from
 * 1
 */
export async function startEndpoint(answer: (request: number) => readonly string[] | number): Promise<ModelEndpoint> {
  const requests: CompletionRequest[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { authorization } = request.headers;
      const asked = { ...(body as Omit<CompletionRequest, 'authorization'>), authorization };
      requests.push(asked);
      const said = answer(requests.length);
      if (typeof said === 'number') {
        response.writeHead(said, { 'content-type': 'application/json' });
        return response.end(JSON.stringify({ error: { message: 'no such model' } }));
      }
      if (asked.stream !== true) {
        response.writeHead(200, { 'content-type': 'application/json' });
        const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: said.join('') } };
        return response.end(JSON.stringify({ id: 'c', created: 1, model: asked.model, choices: [choice] }));
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (delta: object, finish: string | null) => {
        const choice = { index: 0, delta, finish_reason: finish };
        response.write(`data: ${JSON.stringify({ id: 'c', created: 1, model: asked.model, choices: [choice] })}\n\n`);
      };
      for (const content of said) send({ role: 'assistant', content }, null);
      send({}, 'stop');
      return response.end('data: [DONE]\n\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server.close(), 'close');
    server.closeAllConnections();
    await closed;
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}
