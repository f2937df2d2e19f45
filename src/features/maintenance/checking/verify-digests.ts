/**
 * Compares the digest of every message with its content and the digest of its parent, while servers keep writing. A
 * chain is verified link by link: each step reads the stored hashes of the parents.
 */
import { digestOf } from '../../../conversation/saving/message-digest.js';
import type { Reading } from '../../../database/whole-chats/chat-state.js';
import type { SeqPosition } from '../../../database/dialects/base/fragments.js';
import { digestRows } from '../../../database/writing/fill-digests.js';
import { boundedPieces } from '../../../system/bounded-pieces.js';
import { CheckReport, type Finding } from './check-report.js';

const MESSAGES_PER_STEP = 2_000;
/** Bytes of data per step, except a single larger message. */
const BYTES_PER_STEP = 4 * 1024 * 1024;

export interface Verification {
  readonly report: CheckReport;
  /** Messages whose hash is not computed yet. */
  readonly missing: number;
}

/** @param onProgress is called after each step with the messages that were verified and their total */
export async function verifyDigests(
  { sql, read }: Reading,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Verification> {
  const report = new CheckReport();
  const [count] = await read((db) => db.rows<{ total: number }>(sql.countAll('messages')));
  let missing = 0;
  for (let after: SeqPosition = { chatId: '', seq: 0 }; ;) {
    const from = after;
    const sizes = await read((db) =>
      db.rows<SeqPosition & { bytes: number }>(sql.digestSizes(from, false, MESSAGES_PER_STEP)),
    );
    const [piece = []] = boundedPieces(sizes, ({ bytes }) => bytes, BYTES_PER_STEP);
    const to = piece.at(-1);
    if (to === undefined) return { report, missing };
    const step = async () => findingsIn(await read((db) => digestRows(db, sql, from, to, false)));
    const found = await step();
    // A second read confirms findings: SQL Server's statements may see a partial change.
    const again = new Set(
      found.findings.length === 0 ? [] : (await step()).findings.map((each) => JSON.stringify(each)),
    );
    for (const finding of found.findings) if (again.has(JSON.stringify(finding))) report.add(finding);
    report.rows += found.rows;
    missing += found.missing;
    onProgress(report.rows, Math.max(report.rows, count?.total ?? 0));
    after = to;
  }
}

type Verified = Awaited<ReturnType<typeof digestRows>>[number];

function findingsIn(rows: readonly Verified[]) {
  const findings: Finding[] = [];
  let missing = 0;
  for (const row of rows) {
    const problem = row.contentHash === null ? null : problemOf(row);
    if (row.contentHash === null) missing++;
    const { chatId, seq, id } = row;
    if (problem !== null) findings.push({ table: 'messages', row: { chatId, seq, id }, problem });
  }
  return { findings, missing, rows: rows.length };
}

function problemOf(row: Verified): string | null {
  const { parentId, parentHash: contentHash, parentUsage: usage } = row;
  let data: unknown;
  try {
    data = JSON.parse(row.data);
  } catch {
    return 'data is not JSON';
  }
  const parent = parentId === null ? null : { contentHash, usage };
  const digest = digestOf(
    row,
    data,
    parent,
    row.sources.map((source) => source.contentHash),
  );
  if (digest === null) return 'it has a hash, and its parent or a source has none';
  if (digest.contentHash !== row.contentHash) return 'contentHash is not that of its content, parent and sources';
  return digest.usage === row.usage ? null : 'usage is not the sum over its path';
}
