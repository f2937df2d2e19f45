/** `parley transfer`. */
import type { AuditRecord } from '../../audit.js';
import { readConfig } from '../../config.js';
import { checkName } from '../../conversation/bounds.js';
import { NotFoundError } from '../../conversation/errors.js';
import { LOCAL_ADMIN } from '../../conversation/access/ownership.js';
import { openDatabase } from '../../database/opening/open.js';
import { EXIT, withFromTo, type CommandDefinition, type CommandFeatures, type FromTo } from '../../command/command.js';
import { existingDatabase } from '../../command/existing-database.js';
import { transferChat } from './members.js';

const DESCRIPTION =
  'Transfers all chats of one user to another in the database of DATABASE_URL, such as those of development mode, whose ' +
  'owner is "local", after you have introduced tokens. Each chat is one change, which its log records. Servers may run ' +
  'meanwhile. Run an interrupted transfer again to continue it.';

const CHATS_PER_LOOK = 100;

export const command: CommandDefinition<FromTo> = {
  define: (command) =>
    withFromTo(command.description(DESCRIPTION), 'ID', { from: 'the present owner', to: 'the new owner' }),
  read: (options: FromTo) => {
    const request = { from: checkName(options.from, '--from'), to: checkName(options.to, '--to') };
    if (request.from === request.to) throw new Error('--from and --to are the same user.');
    return request;
  },
  run: async (request, { terminal, environment, features }) => {
    const config = readConfig(environment);
    const { withAudit, openFeatures } = await features();
    const report = await withAudit(config, 'transfer', terminal, (audit) =>
      transfer(request, config.databaseUrl, openFeatures(config), audit),
    );
    terminal.out(report);
    return EXIT.done;
  },
};

async function transfer(
  { from, to }: FromTo,
  url: string,
  hooksOf: ReturnType<CommandFeatures['openFeatures']>,
  audit: AuditRecord | null,
): Promise<string> {
  const shown = existingDatabase(url);
  const { store, reads } = await openDatabase({ url, hooksOf });
  const page = { first: CHATS_PER_LOOK, last: null, after: null, before: null };
  try {
    let given = 0;
    for (;;) {
      const { rows } = await reads.chatPage({ userId: from, metadata: [] }, page);
      if (rows.length === 0)
        return `${given} ${given === 1 ? 'chat' : 'chats'} of "${from}" in ${shown} went to "${to}".`;
      for (const { id } of rows) {
        try {
          await transferChat(store, LOCAL_ADMIN, { id, userId: to });
          audit?.done({ event: 'chat.transferred', chatIds: [id], target: to });
          given++;
        } catch (error) {
          // The chat was deleted meanwhile.
          if (!(error instanceof NotFoundError)) throw error;
        }
      }
    }
  } finally {
    await store.close();
  }
}
