/**
 * Citus changes shards one after the other, because keys that reference shared tables forbid parallel changes, and a new table
 * may reference both chats and shared tables. PostgreSQL ignores these settings.
 */
export const CITUS_SETTINGS = `
  SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true),
    set_config('citus.enable_local_reference_table_foreign_keys', 'off', true)`;

/**
 * Lets a transaction of Citus read and change the shards of a worker one after the other: it cannot change the tables that
 * all workers have after it has read shards in parallel. PostgreSQL ignores it.
 */
export const SEQUENTIAL_OPTION = '-c citus.multi_shard_modify_mode=sequential ';
