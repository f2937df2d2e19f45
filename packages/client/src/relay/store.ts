/** What Relay's compiler and its store have to know of Parley's graph. */
import { ConnectionHandler, type RecordSourceSelectorProxy } from 'relay-runtime';

/** Of the compiler's configuration: objects are fetched again by their nodeId, and the plain id is an input. */
export const schemaConfig = { nodeInterfaceIdField: 'nodeId' };

/** Of the environment: `new Environment({ network, store, getDataID })`. */
export function getDataID({ nodeId }: Record<string, unknown>): string | undefined {
  return nodeId as string | undefined;
}

/**
 * Puts new messages behind the others of their branch, and takes out a chat that was removed: the `updater` of mutations and
 * subscriptions whose payloads have a `branch`, and of chatChanges. What is deleted by a mutation has `@deleteRecord`.
 * @param field of the mutation or the subscription, like `saveMessages`
 * @param connection the key of the thread's `@connection`
 */
export function learn(store: RecordSourceSelectorProxy, field: string, connection = 'Thread_messages'): void {
  const told = store.getRootField(field);
  const branch = told?.getLinkedRecord('branch');
  const list = branch && ConnectionHandler.getConnection(branch, connection);
  for (const message of told?.getLinkedRecords('messages') ?? told?.getLinkedRecords('appended') ?? []) {
    const last = list?.getLinkedRecords('edges')?.at(-1)?.getLinkedRecord('node');
    if (!list || !message || (last?.getValue('id') ?? null) !== message.getValue('parentId')) continue;
    ConnectionHandler.insertEdgeAfter(list, ConnectionHandler.createEdge(store, list, message, 'MessageEdge'));
  }
  if (told?.getValue('kind') === 'REMOVED') store.delete(told.getValue('chatNodeId') as string);
}
