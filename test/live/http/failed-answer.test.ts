import { expect, it, onTestFinished } from 'vitest';
import { createHttpServer } from '../../../src/http/server/http-server.js';

it('is a JSON error when the handler fails before it answers', async () => {
  const errors: unknown[] = [];
  const failure = new Error('broken');
  const ignore = () => {};
  const server = createHttpServer({
    isDevelopment: true,
    requestTimeoutMs: 30_000,
    uploadTimeoutMs: 30_000,
    keepAliveTimeoutMs: 1_000,
    stalledAfterMs: 30_000,
    maxUnreadBytes: 1_000_000,
    connections: { perAddress: 0, addressOf: () => null, log: ignore },
    isUpload: () => false,
    observer: { request: ignore, refusedHandshake: ignore },
    onUnreadable: ignore,
    upgrade: ignore,
    answer: () => Promise.reject(failure),
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => server.close(100, ignore));
  const response = await fetch(`http://${await server.listen('127.0.0.1', 0)}/graphql`);
  expect([response.status, await response.json()]).toEqual([
    500,
    { errors: [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
  ]);
  expect(errors).toEqual([failure]);
});
