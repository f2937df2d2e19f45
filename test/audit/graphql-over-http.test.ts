/** GraphQL over HTTP, by the audits of graphql-http. */
import { serverAudits } from 'graphql-http';
import { describe, expect, it } from 'vitest';
import { modes } from './modes.js';

/** The number of audits of this version: a missing audit must not pass. */
const AUDITS = 61;

describe.each(modes)('a server in $name mode', ({ start }) => {
  it('passes every audit of GraphQL over HTTP', async () => {
    const { url, admin } = await start();
    // Some of them introspect the schema.
    const fetchWithHeaders = (address: string, init?: RequestInit) =>
      fetch(address, { ...init, headers: { ...admin, ...(init?.headers as Record<string, string> | undefined) } });
    const audits = serverAudits({ url, fetchFn: fetchWithHeaders });
    expect(audits).toHaveLength(AUDITS);
    for (const audit of audits) {
      const result = await audit.fn();
      const reason = 'reason' in result ? result.reason : '';
      expect(`${result.status} ${reason}`, `${audit.id} ${audit.name}`).toBe('ok ');
    }
  });
});
