/** Other forms of PostgreSQL schemas than that of the migrations. */
import type pg from 'pg';
import type { OpenForm, Queryable } from './connection.js';
import type { DatabaseUrl } from './database-url.js';

export interface SchemaForm {
  /**
   * Opens a migrated schema.
   * @param pool of the schema
   * @param committing commits each statement
   * @returns null for a schema without the form
   */
  open(pool: pg.Pool, committing: Queryable): Promise<OpenForm | null>;
  /** A statement at the beginning of each transaction of migrations. */
  readonly settings: string;
  /** Brings the tables that a migration has added to a schema into its form, in the transaction of the migration. */
  migrated(client: pg.Client, schema: string): Promise<void>;
  /** The tables that no migration creates. */
  readonly tables: readonly string[];
  /** The option of `parley migrate` that brings an empty schema into the form. */
  readonly option: {
    readonly name: string;
    readonly meaning: string;
    /** Called before the migrations. @throws Error when the database cannot have the form */
    check(url: DatabaseUrl): Promise<void>;
    /** @returns a line of the report */
    apply(url: DatabaseUrl): Promise<string>;
  };
}

let forms: readonly SchemaForm[] = [];

/** Features add their forms before a database is opened: see src/features/all-forms.ts. */
export function setSchemaForms(all: readonly SchemaForm[]): void {
  forms = all;
}

export const schemaForms = (): readonly SchemaForm[] => forms;

/** Whether the ids of messages are unique, as in the form of the migrations. */
const IS_PLAIN = `
  SELECT 1 FROM pg_index WHERE indrelid = to_regclass('messages') AND indisprimary AND indnatts > 1`;

/**
 * The form of a schema; undefined for that of the migrations.
 * @throws Error when the form belongs to a missing feature
 */
export async function openForm(pool: pg.Pool, committing: Queryable): Promise<OpenForm | undefined> {
  for (const form of forms) {
    const open = await form.open(pool, committing);
    if (open !== null) return open;
  }
  if (forms.length === 0 && (await pool.query(IS_PLAIN)).rowCount !== 0) {
    throw new Error('its schema has a form that this version of Parley lacks');
  }
  return undefined;
}
