/** The commands of all features, by name: a line each. It loads no other part of them. */
import type { CommandEntry } from '../command/command.js';
import { copyCommands } from './copies/commands.js';
import { deletionCommands } from './deletion/commands.js';
import { demoCommands } from './demo/commands.js';
import { exportCommands } from './exports/commands.js';
import { importCommands } from './imports/commands.js';
import { maintenanceCommands } from './maintenance/commands.js';
import { memberCommands } from './members/commands.js';
import { migrationCommands } from './migrations/commands.js';
import { retentionCommands } from './retention/commands.js';
import { tokenCommands } from './signed-tokens/commands.js';
import { usageCommands } from './usage/commands.js';

export const featureCommands: Readonly<Record<string, CommandEntry>> = {
  ...copyCommands,
  ...deletionCommands,
  ...demoCommands,
  ...exportCommands,
  ...importCommands,
  ...maintenanceCommands,
  ...memberCommands,
  ...migrationCommands,
  ...retentionCommands,
  ...tokenCommands,
  ...usageCommands,
};
