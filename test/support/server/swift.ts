/** A server with the S3 API: OpenStack Swift, of Debian's package python3-swift. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PYTHON = process.env['SWIFT_PYTHON_PATH'] ?? '/usr/bin/python3';
const PROGRAM = fileURLToPath(new URL('run-swift.py', import.meta.url));

const isInstalled = spawnSync(PYTHON, ['-c', 'import swift.common.middleware.s3api']).status === 0;

/** Appended to the titles of skipped tests. */
export const noSwift = isInstalled
  ? ''
  : ' (skipped: no python3-swift on this machine; SWIFT_PYTHON_PATH can name a Python that has it)';

export interface SwiftServer {
  /** The endpoint of the S3 API. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKey: string;
  secret: string;
  close(): Promise<void>;
}

/** Starts Swift with an empty bucket. It ends with this process. */
export async function startSwift(bucket = 'parley'): Promise<SwiftServer> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-swift-'));
  const child = spawn(PYTHON, ['-B', PROGRAM, folder, bucket], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close').finally(() => rmSync(folder, { recursive: true, force: true }));
  const line = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data').then(([line]) => line as string),
    ended.then(() => Promise.reject(new Error('Swift ended before it was ready'))),
  ]);
  const { port, ...access } = JSON.parse(line) as Pick<SwiftServer, 'region' | 'accessKey' | 'secret'> & {
    port: number;
  };
  return {
    ...access,
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
