/** What the story asks of a client and its cache. */
import type { Client } from 'graphql-ws';

export type Variables = Record<string, unknown>;
export type Told = (data: Record<string, Update>) => void;

/** What the story reads of an answer to a subscription. */
interface Update {
  __typename?: string;
  seq?: number;
  kind?: string;
  version?: number;
  chatNodeId?: string;
}

/** A client with its cache; operations go by their names in docs/graphql.md. */
export interface Cache {
  /** Asks the server, unless the cache has all of it; or even then. */
  ask(name: string, variables: Variables, isFresh?: boolean): Promise<void>;
  /** What the cache has of a query; undefined when anything is missing. */
  held(name: string, variables: Variables): unknown;
  /** Runs a mutation; answers what it has got. */
  change(name: string, variables: Variables): Promise<unknown>;
  follow(name: string, variables: Variables, told: Told): void;
  close(): void;
}

export type OpenCache = (url: string, socket: Client) => Cache;

/** Of docs/subscriptions.md. */
export type Resume = (client: Client) => Client;
