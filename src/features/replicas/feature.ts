/** Runs reads of queries and exports on standbys of PostgreSQL: see docs/databases.md. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Feature } from '../../feature.js';
import type { ValuesOf } from '../../settings/setting.js';
import { parseReplicaUrls } from './replica-urls.js';
import type { replicaSettings } from './settings.js';
import type { Replicas } from './replicas.js';

export const replicas: Feature<ValuesOf<typeof replicaSettings>> = {
  check: ({ databaseUrl, readDatabaseUrls }) => {
    parseReplicaUrls(databaseUrl, readDatabaseUrls);
    return {};
  },
  open: (primary, { readDatabaseUrls }) => {
    if (readDatabaseUrls.length === 0) return {};
    let replicas: Replicas | undefined;
    return {
      queryReads: (connection, bounds) => replicas?.readsOf(connection, bounds),
      currentReads: (connection, caller) => replicas?.currentOf(connection, caller),
      pools: () => replicas?.pools ?? [],
      close: () => replicas?.close(),
      serve: async ({ databaseUrl, connections, registry, log }) => {
        const urls = parseReplicaUrls(databaseUrl, readDatabaseUrls);
        // Loaded on demand: a server loads the driver of its own database only.
        const { Replicas } = await import('./replicas.js');
        const opened = await Replicas.open({ ...connections, urls, log, primary: primary.probe });
        replicas = opened;
        measure(opened, registry);
        return { readiness: () => ({ replicas: opened.states }) };
      },
    };
  },
};

function measure(replicas: Replicas, registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'parley_replica_usable',
    help: 'Whether a replica runs reads, by its position in READ_DATABASE_URL.',
    labelNames: ['replica'] as const,
    registers,
    collect() {
      replicas.states.forEach((state, n) => this.set({ replica: String(n + 1) }, Number(state === 'usable')));
    },
  });
  new Counter({
    name: 'parley_replica_reads_total',
    help: 'Reads that a replica may run, by the server that ran them: replica or primary.',
    labelNames: ['target'] as const,
    registers,
    collect() {
      this.reset();
      this.inc({ target: 'replica' }, replicas.counts.replica);
      this.inc({ target: 'primary' }, replicas.counts.primary);
    },
  });
}
