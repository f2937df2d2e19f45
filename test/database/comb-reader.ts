/**
 * Says as JSON which branches run through some messages of the chat "comb": node comb-reader.ts URL BYTES DEPTH...
 * Results above a number of bytes are replaced by a note that they are too large.
 */
import { ContentBudget } from '../../src/limits/content-budget.js';
import { TooLargeError } from '../../src/conversation/errors.js';
import '../../src/features/all-forms.js';
import { connect } from '../../src/database/opening/open.js';
import { withinBounds } from '../../src/database/connection/within-bounds.js';
import { createReads } from '../../src/database/reading/reads.js';

const [url = '', bytes = '', ...depths] = process.argv.slice(2);
const { connection } = await connect(url, { migrate: false });
const reads = createReads(withinBounds(connection, { content: new ContentBudget(Number(bytes)) }));
const messages = depths.map((depth) => ({ id: `comb-${depth}`, chatId: 'comb', depth: Number(depth) }));
const answer = await reads.branchesThrough(messages).then(
  (through) => through.map((branches) => branches.map(({ name }) => name)),
  (error: unknown) => (error instanceof TooLargeError ? 'too many' : String(error)),
);
process.stdout.write(JSON.stringify(answer));
await connection.close();
