/** Configures Relay's compiler and store for Parley. */
import { ConnectionHandler, type RecordSourceSelectorProxy } from 'relay-runtime';

/** For the configuration of the compiler: objects are refetched by `nodeId`; `id` is an ordinary field. */
export const schemaConfig = { nodeInterfaceIdField: 'nodeId' };

/** For the environment: `new Environment({ network, store, getDataID })`. */
export function getDataID({ nodeId }: Record<string, unknown>): string | undefined {
  return nodeId as string | undefined;
}

/**
 * Appends new messages to their branch, and deletes a removed chat. Call it as the `updater` of mutations and
 * subscriptions with a `branch` in their payload, and of chatChanges. Select deleted ids of mutations with
 * `@deleteRecord`.
 * @param field of the mutation or the subscription, such as `saveMessages`
 * @param connection the key of the thread's `@connection`
 */
export function learn(store: RecordSourceSelectorProxy, field: string, connection = 'Thread_messages'): void {
  const change = store.getRootField(field);
  const branch = change?.getLinkedRecord('branch');
  const list = branch && ConnectionHandler.getConnection(branch, connection);
  for (const message of change?.getLinkedRecords('messages') ?? change?.getLinkedRecords('appended') ?? []) {
    const last = list?.getLinkedRecords('edges')?.at(-1)?.getLinkedRecord('node');
    if (!list || !message || (last?.getValue('id') ?? null) !== message.getValue('parentId')) continue;
    ConnectionHandler.insertEdgeAfter(list, ConnectionHandler.createEdge(store, list, message, 'MessageEdge'));
  }
  if (change?.getValue('kind') === 'REMOVED') store.delete(change.getValue('chatNodeId') as string);
}
