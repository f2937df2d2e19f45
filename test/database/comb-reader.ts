/** Says as JSON which branches run through some messages of the chat "comb": node comb-reader.ts URL DEPTH... */
import { connect } from '../../src/database/opening/open.js';
import { createReads } from '../../src/database/reading/reads.js';

const [url = '', ...depths] = process.argv.slice(2);
const { connection } = await connect(url, { migrate: false });
const messages = depths.map((depth) => ({ id: `comb-${depth}`, chatId: 'comb', depth: Number(depth) }));
const through = await createReads(connection).branchesThrough(messages);
process.stdout.write(JSON.stringify(through.map((branches) => branches.map(({ name }) => name))));
await connection.close();
