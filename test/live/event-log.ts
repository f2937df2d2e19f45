/** Reads a chat's event log page by page, and checks that it has no gap. */
import { expect } from 'vitest';
import { graphql } from '../generated/graphql/gql.js';
import type { EventLogQuery } from '../generated/graphql/graphql.js';
import type { HttpClient } from '../support/server/http-client.js';

const EventLog = graphql(`
  query EventLog($id: ID!, $after: String) {
    chat(id: $id) {
      version
      events(first: 90, after: $after) {
        edges {
          node {
            __typename
            seq
            ... on BranchCreated {
              branch {
                name
              }
            }
            ... on BranchActivated {
              branch {
                name
              }
            }
            ... on BranchHeadMoved {
              headId
              branch {
                name
              }
              messages {
                id
              }
            }
            ... on CheckpointSaved {
              name
              messageId
            }
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

export type LoggedEvent = NonNullable<EventLogQuery['chat']>['events']['edges'][number]['node'];

/** All events of a chat that does not change meanwhile, from seq 1 to its version. */
export async function eventsOf(server: HttpClient, chatId: string): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for (let after: string | null = null; ;) {
    const answer: EventLogQuery = await server.run(EventLog, { id: chatId, after });
    const { version, events: page } = answer.chat!;
    events.push(...page.edges.map(({ node }) => node));
    after = page.pageInfo.endCursor ?? null;
    if (page.pageInfo.hasNextPage) continue;
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: version }, (_, n) => n + 1));
    return events;
  }
}
