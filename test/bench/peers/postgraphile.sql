-- What PostGraphile does not find in the tables by itself, in the schema that comes first.

CREATE FUNCTION message_chain(chat text) RETURNS SETOF messages LANGUAGE sql STABLE
BEGIN ATOMIC
  WITH RECURSIVE w(id, "parentId", n) AS (
    SELECT m."id", m."parentId", 1
    FROM branches b JOIN messages m ON m."id" = b."headMessageId"
    WHERE b."chatId" = chat AND b."isActive"
    UNION ALL
    SELECT p."id", p."parentId", w.n + 1 FROM w JOIN messages p ON p."id" = w."parentId"
  )
  SELECT m.* FROM w JOIN messages m ON m."id" = w.id ORDER BY w.n DESC;
END;

-- A field of each branch.
CREATE FUNCTION branches_message_count(branch branches) RETURNS int LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT "depth" + 1 FROM messages WHERE "id" = branch."headMessageId";
END;

-- The index is Parley's, whose words are stems, and have the chat among them.
CREATE FUNCTION search_messages(chat text, word text)
  RETURNS TABLE (rank real, snippet text, message_id text, name text, data text, created_at bigint)
  LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT hit.rank, ts_headline('english', m."data"::json #>> '{parts,0,text}', hit.query), m."id", m."name", m."data",
    m."createdAt"
  FROM (
    SELECT t."messageId", q.query, ts_rank(t."vector", q.query) AS rank, t."seq"
    FROM message_texts t, (SELECT plainto_tsquery('english', word) && quote_literal('/' || chat)::tsquery AS query) q
    WHERE t."vector" @@ q.query
    ORDER BY rank DESC, t."seq" DESC
    LIMIT 20
  ) hit
  JOIN messages m ON m."id" = hit."messageId"
  ORDER BY hit.rank DESC, hit."seq" DESC;
END;
