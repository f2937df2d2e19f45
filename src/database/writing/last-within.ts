/**
 * The end of a step of bounded size: the last of the first rows that have at most `maxBytes` together, or the first row if it
 * alone has more; undefined without rows.
 */
export function lastWithin<Row extends { readonly bytes: number }>(
  rows: readonly Row[],
  maxBytes: number,
): Row | undefined {
  let bytes = 0;
  const next = rows.findIndex((row) => (bytes += row.bytes) > maxBytes);
  return rows[next === -1 ? rows.length - 1 : Math.max(next - 1, 0)];
}
