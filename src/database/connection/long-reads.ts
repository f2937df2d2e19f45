import { bytesOf } from '../../conversation/json-lists.js';
import type { LongReads } from './connection.js';

/** Long statements where `rows` does not block others. */
export function longReads(rows: LongReads['rows']): LongReads {
  return {
    rows,
    bytes: async (statement, caller) => {
      const [row] = await rows<{ json: Uint8Array | null }>(statement, caller);
      return row?.json ? bytesOf(row.json) : null;
    },
  };
}
