/**
 * As much of the packages that a page may bring along as is used here, which are installed in no more than conformance/.
 * There these sources are checked against the packages themselves.
 */
declare module '@apollo/client/cache' {
  export type StoreObject = Record<string, unknown> & { __typename?: string };
  export interface Reference {
    readonly __ref: string;
  }
  export interface FieldPolicy {
    keyArgs?: readonly string[] | false;
    merge?: unknown;
    read?: unknown;
  }
  export interface InMemoryCacheConfig {
    possibleTypes?: Record<string, string[]>;
    typePolicies?: Record<string, { keyFields?: string[] | false; fields?: Record<string, FieldPolicy> }>;
  }
  interface ModifierDetails {
    readField(name: string, from: Reference): unknown;
    toReference(object: StoreObject): Reference | undefined;
  }
  export abstract class ApolloCache {
    identify(object: StoreObject): string | undefined;
    evict(options: { id: string }): boolean;
    modify<Entity>(options: {
      id: string;
      fields: { [Field in keyof Entity]?: (value: unknown, details: ModifierDetails) => unknown };
    }): boolean;
  }
}

declare module '@apollo/client/utilities' {
  import type { FieldPolicy } from '@apollo/client/cache';
  export function relayStylePagination(keyArgs?: string[]): FieldPolicy;
}

declare module '@assistant-ui/react' {
  interface Part {
    readonly type: string;
    readonly text: string;
  }
  export interface ThreadMessageLike {
    readonly role: 'assistant' | 'user' | 'system';
    readonly content: string | readonly (AttachedPart | AnswerPart)[];
    readonly id?: string;
    readonly createdAt?: Date;
    readonly status?:
      | { readonly type: 'running' }
      | { readonly type: 'complete'; readonly reason: 'stop' }
      | { readonly type: 'requires-action'; readonly reason: 'tool-calls' }
      | { readonly type: 'incomplete'; readonly reason: 'error' };
    readonly metadata?: object;
    readonly attachments?: readonly CompleteAttachment[];
  }
  export interface ThreadMessage {
    readonly id: string;
  }
  export interface AppendMessage {
    readonly content: readonly Part[];
    readonly attachments?: readonly CompleteAttachment[];
    readonly sourceId: string | null;
    readonly startRun: boolean | undefined;
  }
  export type AssistantRuntime = object;
  interface Attached {
    id: string;
    type: string;
    name: string;
    contentType?: string | undefined;
  }
  type AttachedPart =
    | { readonly type: 'file'; readonly filename?: string; readonly data: string; readonly mimeType: string }
    | { readonly type: 'image'; readonly image: string; readonly filename?: string }
    | { readonly type: 'text'; readonly text: string };
  type AnswerPart =
    | { readonly type: 'reasoning'; readonly text: string }
    | { readonly type: 'source'; sourceType: 'url'; id: string; url: string; title?: string }
    | {
        readonly type: 'tool-call';
        toolCallId: string;
        toolName: string;
        argsText: string;
        result?: unknown;
        isError?: boolean;
      };
  export interface PendingAttachment extends Attached {
    file: File;
    status:
      | { type: 'requires-action'; reason: 'composer-send' }
      | { type: 'running'; reason: 'uploading'; progress: number };
    content?: AttachedPart[];
  }
  export interface CompleteAttachment extends Attached {
    status: { type: 'complete' };
    content: AttachedPart[];
  }
  export interface AttachmentAdapter {
    accept: string;
    add(state: { file: File }): Promise<PendingAttachment> | AsyncGenerator<PendingAttachment, void>;
    send(attachment: PendingAttachment): Promise<CompleteAttachment>;
    remove(attachment: Attached): Promise<void>;
  }
  export interface ExternalStoreThreadListAdapter {
    threadId?: string | undefined;
    isLoading?: boolean | undefined;
    threads?: readonly { status: 'regular'; id: string; title?: string | undefined }[] | undefined;
    onSwitchToThread?: ((threadId: string) => void) | undefined;
    onSwitchToNewThread?: (() => void) | undefined;
    onRename?: ((threadId: string, newTitle: string) => Promise<void>) | undefined;
    onDelete?: ((threadId: string) => Promise<void>) | undefined;
  }
  export class MessageNotSentError extends Error {}
  interface Placed<Message> {
    message: Message;
    parentId: string | null;
  }
  export interface ExportedMessageRepository {
    headId?: string | null;
    messages: Placed<ThreadMessage>[];
  }
  export const ExportedMessageRepository: {
    fromBranchableArray(items: readonly Placed<ThreadMessageLike>[]): ExportedMessageRepository;
  };
  export const INTERNAL: { MessageRepository: new () => object };
  export function useExternalStoreRuntime(adapter: {
    messageRepository: ExportedMessageRepository;
    unstable_messageRepositoryInstance: object;
    isRunning: boolean;
    isLoading: boolean;
    onNew(message: AppendMessage): Promise<void>;
    onEdit(message: AppendMessage): Promise<void>;
    onReload?(parentId: string | null, config: { sourceId?: string | null }): Promise<void>;
    onCancel(): Promise<void>;
    onAddToolResult?(options: {
      toolCallId: string;
      toolName: string;
      result: unknown;
      isError: boolean;
    }): Promise<void>;
    setMessages(messages: readonly ThreadMessage[]): void;
    adapters: {
      attachments: AttachmentAdapter | undefined;
      threadList: ExternalStoreThreadListAdapter | undefined;
    };
  }): AssistantRuntime;
}

declare module '@urql/core' {
  export function gql(strings: TemplateStringsArray): object;
  export type SubscriptionForwarder = (request: { query?: string | undefined; variables?: unknown }) => {
    subscribe(sink: { next(result: object): void; error(error: unknown): void; complete(): void }): {
      unsubscribe(): void;
    };
  };
}

declare module '@urql/exchange-graphcache' {
  export type DataFields = Record<string, unknown>;
  export type KeyGenerator = (data: DataFields) => string | null;
  interface Entity {
    __typename?: string;
    [field: string]: unknown;
  }
  export interface Cache {
    inspectFields(
      entity: Entity | string,
    ): { fieldName: string; fieldKey: string; arguments: Record<string, unknown> | null }[];
    resolve(entity: Entity | string, field: string): unknown;
    link(entity: string, field: string, value: string[]): void;
    invalidate(entity: Entity | string, field?: string, args?: Record<string, unknown> | null): void;
    keyOfEntity(entity: Entity): string | null;
    writeFragment(fragment: object, data: Entity): void;
  }
  type UpdateResolver = (
    parent: DataFields,
    args: Record<string, unknown>,
    cache: Cache,
    info: { parentKey: string },
  ) => void;
  export interface CacheExchangeOpts {
    schema?: { __schema: { queryType: { name: string } } };
    keys?: Record<string, KeyGenerator>;
    resolvers?: Record<string, Record<string, unknown>>;
    updates?: Record<string, Record<string, UpdateResolver>>;
  }
}

declare module '@urql/exchange-graphcache/extras' {
  export function relayPagination(): unknown;
}

declare module 'relay-runtime' {
  export interface RecordProxy {
    getValue(name: string): unknown;
    getLinkedRecord(name: string): RecordProxy | null | undefined;
    getLinkedRecords(name: string): (RecordProxy | null | undefined)[] | null | undefined;
  }
  export interface RecordSourceSelectorProxy {
    getRootField(name: string): RecordProxy | null | undefined;
    delete(dataId: string): void;
  }
  export const ConnectionHandler: {
    getConnection(record: RecordProxy, key: string): RecordProxy | null | undefined;
    createEdge(store: RecordSourceSelectorProxy, list: RecordProxy, node: RecordProxy, type: string): RecordProxy;
    insertEdgeAfter(list: RecordProxy, edge: RecordProxy): void;
  };
}
