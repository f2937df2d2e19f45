/**
 * The full-text index of SQL Server, created outside the migrations: it allows no transaction, and may be unsupported
 * or forbidden. Without it, LIKE scans all texts with the same result.
 */

/**
 * Statements that create the index where possible; run each after the migrations, outside a transaction. After a
 * failure the rest may be skipped: only speed is lost. EXEC hides syntax from servers that cannot parse it. Words are
 * already split and stemmed (src/search), so LANGUAGE 0 only separates them, without stop words.
 */
export function createFullTextIndex(schema: string): string[] {
  // Catalogs belong to the database, not to a schema.
  const catalog = `parley_${schema}`;
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

/** Fails unless the index answers a query of the form that searches use. */
export function askFullTextIndex(schema: string): string {
  return `SELECT COUNT(*) AS [total] FROM CONTAINSTABLE([${schema}].[message_texts], [terms], N'"a"') found`;
}
