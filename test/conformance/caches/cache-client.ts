/** The interface of a client and its cache for the story. */
import type { Client } from 'graphql-ws';

export type Variables = Record<string, unknown>;
export type OnUpdate = (data: Record<string, Update>) => void;

/** The fields of a subscription's result that the story reads. */
interface Update {
  __typename?: string;
  seq?: number;
  kind?: string;
  version?: number;
  chatNodeId?: string;
}

/** A client with its cache; operations are named as in docs/graphql. */
export interface Cache {
  /** Runs a query, from the cache if it is complete; or always from the server. */
  ask(name: string, variables: Variables, isFresh?: boolean): Promise<void>;
  /** The cached result of a query; undefined when data is missing. */
  held(name: string, variables: Variables): unknown;
  /** Runs a mutation, and returns its result. */
  change(name: string, variables: Variables): Promise<unknown>;
  follow(name: string, variables: Variables, onUpdate: OnUpdate): void;
  close(): void;
}

export type OpenCache = (url: string, socket: Client) => Cache;

/** The exported function of docs/subscriptions.md. */
export type Resume = (client: Client) => Client;
