/** The setting of replicas. */
import { elements, setting } from '../../settings/declare-setting.js';
import type { CoreValues, Fault, Reader } from '../../settings/read-environment.js';
import { messageOf } from '../../system/message-of.js';
import { parseReplicaUrls } from './replica-urls.js';

export const replicaSettings = {
  /** `postgresql://` URLs of standbys that run reads of queries and exports. @default [] */
  readDatabaseUrls: setting('READ_DATABASE_URL', elements, { byDefault: [], isSecret: true }).means(
    'Standbys of a PostgreSQL database that run reads, separated by commas: see [Read replicas](databases.md#read-replicas)',
  ),
};

export const replicaRules = {
  faultsOf: (read: Reader, { databaseUrl }: CoreValues): Fault[] => {
    try {
      parseReplicaUrls(databaseUrl, read(replicaSettings).readDatabaseUrls);
      return [];
    } catch (error) {
      return [{ variable: 'READ_DATABASE_URL', message: messageOf(error) }];
    }
  },
  optionsOf: (): object => ({}),
};
