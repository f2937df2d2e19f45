/** `parley schema`. */
import { writeFileSync } from 'node:fs';
import { schema } from '../../server/schema.js';
import { EXIT, type CommandDefinition } from '../../command/command.js';
import { contractText } from '../schema-files.js';

export const command: CommandDefinition = {
  define: (command) => command.description('Writes schema.graphql into the current folder.'),
  read: () => ({}),
  run: async () => {
    writeFileSync('schema.graphql', contractText(schema));
    return EXIT.done;
  },
};
