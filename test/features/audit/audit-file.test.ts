/** The file of the audit log: its rights, its rotation and its failures. */
import { existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AuditLog } from '../../../src/features/audit/audit-log.js';
import { startListening } from '../../support/server/listening-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

async function openLog(target: string) {
  const logged: string[] = [];
  const log = await AuditLog.open({ target, log: (line) => logged.push(line) });
  const read = (chatId: string) => {
    const record = log.begin({ userId: 'alice', isAdmin: false }, { requestId: null, address: null });
    record.read('chat.read', [chatId]);
    record.end();
  };
  /** Reads a chat, and waits until its line is written or lost. */
  const readAndWait = async (chatId: string) => {
    const { written, lost } = log.counts;
    read(chatId);
    await expect.poll(() => log.counts.written + log.counts.lost).toBe(written + lost + 1);
  };
  return { log, logged, read, readAndWait };
}

const chatsIn = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { chatIds: string[] }).chatIds[0]);

it('only the owner can read the file, and lines are appended in order', async () => {
  const path = join(temporaryFolder(), 'audit.jsonl');
  const numbers = Array.from({ length: 500 }, (_, n) => String(n));
  const first = await openLog(path);
  numbers.forEach((n) => first.read(n));
  await first.log.close();
  const second = await openLog(path);
  second.read('last');
  await second.log.close();
  expect(chatsIn(path)).toEqual([...numbers, 'last']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('a renamed file is replaced by a new one', async () => {
  const path = join(temporaryFolder(), 'audit.jsonl');
  const { log, readAndWait } = await openLog(path);
  await readAndWait('old');
  renameSync(path, `${path}.1`);
  await readAndWait('new');
  await log.close();
  expect([chatsIn(`${path}.1`), chatsIn(path)]).toEqual([['old'], ['new']]);
});

it('lost lines are counted and logged, until writing works again', async () => {
  const folder = join(temporaryFolder(), 'logs');
  mkdirSync(folder);
  const path = join(folder, 'audit.jsonl');
  const { log, logged, readAndWait } = await openLog(path);
  renameSync(folder, `${folder}-away`);
  await readAndWait('lost');
  await readAndWait('lost, too');
  expect([log.counts, log.problem]).toEqual([{ written: 0, lost: 2, waiting: 0 }, 'The audit log loses lines: ENOENT']);
  mkdirSync(folder);
  await readAndWait('written');
  await log.close();
  expect([log.counts, log.problem, chatsIn(path)]).toEqual([{ written: 1, lost: 2, waiting: 0 }, null, ['written']]);
  expect(logged).toEqual(['The audit log loses lines: ENOENT', 'The audit log is written again; 2 lines were lost']);
});

it('more lines than the buffer holds are lost', async () => {
  const path = join(temporaryFolder(), 'audit.jsonl');
  const { log, read } = await openLog(path);
  for (let n = 0; n < 40; n++) read('x'.repeat(1024 * 1024));
  await log.close();
  const { written, lost } = log.counts;
  expect([written + lost, chatsIn(path).length]).toEqual([40, written]);
  expect(lost).toBeGreaterThan(30);
});

it('a server does not start with a file that cannot be opened', async () => {
  const auditLog = join(temporaryFolder(), 'none', 'audit.jsonl');
  await expect(startListening({ auditLog })).rejects.toThrow(`AUDIT_LOG: cannot open ${auditLog}: ENOENT`);
});

// A device that refuses every write.
it.skipIf(!existsSync('/dev/full'))(
  'operations succeed while the disk is full, and readiness and metrics show it',
  async () => {
    const { ask, url } = await startListening({ auditLog: '/dev/full', log: () => {} });
    const created = 'mutation { createChat(input: { id: "c" }) { ... on CreateChatPayload { chat { id } } } }';
    expect(await ask(created)).toEqual({ data: { createChat: { chat: { id: 'c' } } } });
    const page = async (path: string) => (await fetch(new URL(path, url))).text();
    await expect.poll(() => page('/metrics')).toMatch(/^parley_audit_lost_lines_total 1$/m);
    expect(await page('/metrics')).toMatch(/^parley_audit_lines_total 0$/m);
    expect(JSON.parse(await page('/health/ready'))).toMatchObject({
      status: 'ready',
      warnings: ['The audit log loses lines: ENOSPC'],
    });
  },
);
