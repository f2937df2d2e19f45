/** The subscriptions of followers in the fault tests, and the log to compare them with. */
import { graphql } from '../../generated/graphql/gql.js';
import type { FollowedLogQuery, TypedDocumentString } from '../../generated/graphql/graphql.js';

graphql(`
  fragment FollowedEvent on ChatEvent {
    __typename
    seq
    ... on BranchCreated {
      beginsAt: headId
      branch {
        id
        name
      }
    }
    ... on BranchActivated {
      branch {
        id
        name
      }
    }
    ... on BranchHeadMoved {
      previousHeadId
      headId
      branch {
        id
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
`);

export const FollowEvents = graphql(`
  subscription FollowEvents($chatId: ID!, $after: Int) {
    chatEvents(chatId: $chatId, after: $after) {
      ...FollowedEvent
    }
  }
`);

export const FollowHead = graphql(`
  subscription FollowHead($chatId: ID!, $branch: String, $after: Int) {
    branchHead(chatId: $chatId, branch: $branch, after: $after) {
      seq
      branch {
        id
        name
      }
      previousHeadId
      head {
        id
      }
    }
  }
`);

export const FollowedLog = graphql(`
  query FollowedLog($chatId: ID!, $cursor: String) {
    chat(id: $chatId) {
      version
      events(first: 90, after: $cursor) {
        edges {
          node {
            ...FollowedEvent
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

export type FollowedEvent = NonNullable<FollowedLogQuery['chat']>['events']['edges'][number]['node'];

/** Runs a document on a server and returns its data. @throws Error at GraphQL errors, or without a response */
export type Run = <Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
) => Promise<Result>;

/** The log of a chat that does not change meanwhile; each call reads the next part. */
export class LogReader {
  #cursor: string | null = null;
  #position = 0;

  constructor(readonly chatId: string) {}

  /** The events after those of previous calls. @throws Error at a gap */
  async read(run: Run): Promise<FollowedEvent[]> {
    const events: FollowedEvent[] = [];
    for (;;) {
      const { chat } = await run(FollowedLog, { chatId: this.chatId, cursor: this.#cursor });
      if (chat === null) throw new Error(`Chat "${this.chatId}" does not exist`);
      for (const { node } of chat.events.edges) {
        if (node.seq !== ++this.#position) throw new Error(`the log of "${this.chatId}" lacks ${this.#position}`);
        events.push(node);
      }
      this.#cursor = chat.events.pageInfo.endCursor ?? this.#cursor;
      if (chat.events.pageInfo.hasNextPage) continue;
      if (this.#position !== chat.version) throw new Error(`"${this.chatId}" ends before ${chat.version}`);
      return events;
    }
  }
}
