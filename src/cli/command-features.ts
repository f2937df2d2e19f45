/** The features for commands. */
import { openAuditor } from '../features/all-features.js';
import type { Config } from '../config.js';
import { LOCAL_ADMIN } from '../conversation/access/ownership.js';
import type { CommandFeatures } from '../command/command.js';

export { ALL_CHECKS, copyFeatures, fileService as files, openFeatures } from '../features/all-features.js';

export const withAudit: CommandFeatures['withAudit'] = async (config, command, terminal, work) => {
  const auditor = await openAuditor(config, {
    serviceName: (config as Config).serviceName,
    log: (line) => terminal.error(line),
  });
  if (auditor === null) return work(null);
  const record = auditor.begin(LOCAL_ADMIN, { requestId: null, address: null, route: `parley ${command}` });
  try {
    return await work(record);
  } finally {
    record.end();
    await auditor.close();
  }
};
