/** One socket with operations, in the graphql-transport-ws protocol. */
import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface OperationsSocket {
  /** The JSON of the first message, and its time, in milliseconds. */
  run(query: string, variables?: unknown): Promise<{ json: string; at: number }>;
  subscribe(query: string, variables: unknown, onAnswer: (json: string, at: number) => void): void;
  close(): Promise<void>;
}

export const PROTOCOL = 'graphql-transport-ws';

/** The first message of a client, which must wait for the response. */
export const INIT = '{"type":"connection_init"}';

export function subscribeMessage(id: string, query: string, variables: unknown): string {
  return JSON.stringify({ id, type: 'subscribe', payload: { query, variables } });
}

export async function openOperationsSocket(url: string): Promise<OperationsSocket> {
  const socket = new WebSocket(url, PROTOCOL);
  const takers = new Map<string, (json: string, at: number) => void>();
  await once(socket, 'open');
  socket.send(INIT);
  await once(socket, 'message');
  socket.on('message', (data: Buffer) => {
    const at = performance.now();
    const { id, type, payload } = JSON.parse(data.toString()) as { id: string; type: string; payload?: unknown };
    if (type === 'error') throw new Error(JSON.stringify(payload));
    if (type === 'next') takers.get(id)?.(JSON.stringify(payload), at);
  });
  let operations = 0;
  const begin = (query: string, variables: unknown, onAnswer: (json: string, at: number) => void) => {
    const id = String(++operations);
    takers.set(id, onAnswer);
    socket.send(subscribeMessage(id, query, variables));
    return id;
  };
  return {
    run: (query, variables) =>
      new Promise((resolve) => {
        const id = begin(query, variables, (json, at) => {
          takers.delete(id);
          resolve({ json, at });
        });
      }),
    subscribe: (query, variables, onAnswer) => void begin(query, variables, onAnswer),
    async close() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}
