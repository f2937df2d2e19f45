/** Bare Node streams: stores each upload as a file, and sends the last one. */
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

process.once('message', (folder: string) => void listen(join(folder, 'bare')));

async function listen(path: string): Promise<void> {
  const server = createServer((request, response) => void answer(path, request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

async function answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'POST') {
    // Flushed to disk, as by Parley.
    await pipeline(request, createWriteStream(path, { flush: true }));
    response.writeHead(201).end();
  } else {
    response.writeHead(200, { 'content-length': (await stat(path)).size });
    await pipeline(createReadStream(path), response);
  }
}
