/**
 * The full-text index of SQL Server: not part of the migrations, because it cannot be made in a transaction, and not
 * every server has full-text search, nor every user the right to make an index. Without it LIKE reads all texts, and finds
 * the same.
 */

/** The catalog belongs to the database and not to a schema, so each schema has one of its own name. */
const catalogOf = (schema: string): string => `parley_${schema}`;

/**
 * What makes the index, unless it is there or cannot be: to be run after the migrations, one after the other, each by
 * itself and outside of a transaction. When one fails, the next need not be run, and nothing is lost but time.
 *
 * What the server may not understand stands in EXEC, where nobody reads it before it is run. The words of the texts have
 * been cut out and stemmed (src/search): LANGUAGE 0 does no more than to part them, and no word is left out.
 */
export function createFullTextIndex(schema: string): string[] {
  const catalog = catalogOf(schema);
  const table = `[${schema}].[message_texts]`;
  const isInstalled = `CAST(SERVERPROPERTY(N'IsFullTextInstalled') AS INT) = 1`;
  return [
    `IF ${isInstalled} AND NOT EXISTS (SELECT 1 FROM sys.fulltext_catalogs WHERE [name] = N'${catalog}')
      EXEC(N'CREATE FULLTEXT CATALOG [${catalog}]');`,
    `IF ${isInstalled} AND ISNULL(OBJECTPROPERTY(OBJECT_ID(N'${table}'), N'TableHasActiveFulltextIndex'), 0) = 0
      EXEC(N'CREATE FULLTEXT INDEX ON ${table} ([terms] LANGUAGE 0) KEY INDEX [message_texts_pkey] ON [${catalog}]
        WITH (CHANGE_TRACKING = AUTO, STOPLIST = OFF)');`,
  ];
}

/** Fails unless the index can be asked, in the words in which a search asks it. */
export function askFullTextIndex(schema: string): string {
  return `SELECT COUNT(*) AS [total] FROM CONTAINSTABLE([${schema}].[message_texts], [terms], N'"a"') found`;
}

/** What is left of the index when its table has been dropped. */
export function dropFullTextCatalog(schema: string): string {
  const catalog = catalogOf(schema);
  return `IF EXISTS (SELECT 1 FROM sys.fulltext_catalogs WHERE [name] = N'${catalog}')
      EXEC(N'DROP FULLTEXT CATALOG [${catalog}]');`;
}
