/** `parley verify`: exits with 0 when every hash of messages and files is correct, with 1 for findings or when the database cannot be read. */
import { readConfig } from '../../config.js';
import { checkFileRows, verifiedSize } from './checking/content-check.js';
import { connect } from '../../database/opening/open.js';
import { EXIT, type CommandContext, type CommandDefinition } from '../../command/command.js';
import { existingDatabase } from '../../command/existing-database.js';
import { withProgress } from '../../command/progress-bar.js';
import { digestOf } from '../../conversation/saving/message-digest.js';
import type { Reading } from '../../database/whole-chats/chat-state.js';
import type { SeqPosition } from '../../database/dialects/base/fragments.js';
import { digestRows } from '../../database/writing/fill-digests.js';
import { boundedPieces } from '../../system/bounded-pieces.js';
import { CheckReport, type Finding } from './checking/check-report.js';

const DESCRIPTION =
  'Verifies the hash and the usage of every message in the database of DATABASE_URL, and the hashes of the contents of files ' +
  'in a folder or in the database. It only reads, and servers may run ' +
  'meanwhile. Each difference is a line with the ids of the message or the file and the problem; the first 20 of each kind are ' +
  'printed and the others counted.';

export const command: CommandDefinition<object> = {
  define: (command) => command.description(DESCRIPTION),
  read: () => ({}),
  run: (_, context) => verify(context),
};

async function verify({ terminal, environment, features }: CommandContext): Promise<number> {
  const { databaseUrl, filesUrl } = readConfig(environment);
  const { files } = await features();
  existingDatabase(databaseUrl);
  const { connection } = await connect(databaseUrl, { migrate: false, isReadOnly: true });
  try {
    const { report, missing } = await withProgress(terminal.progress, { unit: 'messages' }, (update) =>
      verifyDigests(connection, update),
    );
    // A bucket verifies the hash of each upload.
    if (filesUrl?.startsWith('s3:') !== true) {
      const contents = await files.contents({ databaseUrl, filesUrl, connection, isReadOnly: true });
      await checkFileRows(files.records(connection), verifiedSize(contents), report);
    }
    for (const line of report.problems()) terminal.error(line);
    if (missing > 0) terminal.out(`${missing} messages have no hash yet: a running server computes them.`);
    terminal.out(report.summary());
    return report.isSound ? EXIT.done : EXIT.failed;
  } finally {
    await connection.close();
  }
}

const MESSAGES_PER_STEP = 2_000;
/** Bytes of data per step, except a single larger message. */
const BYTES_PER_STEP = 4 * 1024 * 1024;

interface Verification {
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
