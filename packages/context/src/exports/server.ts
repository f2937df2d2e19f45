/** The exports for Parley's server: its store on a database, and Branch.context. They can change with every version. */
export { invalid } from '../errors.js';
export { isRecord } from '../record.js';
export { createGraphQLClient, type GraphQLClientOptions } from '../remote/graphql-client.js';
export { MessageWindow, SUMMARY_TYPE, tokensOf, type WindowOptions } from '../messages/message-window.js';
export { decodePending, type PendingMessage } from '../messages/pending-message.js';
export * from '../messages/source-messages.js';
export { withParts } from '../messages/ui-message.js';
export { activateBranch } from '../store/branch-by-id.js';
export * from '../store/asked-options.js';
export { chatNotFound, draftNotFound, messageNotFound } from '../store/context-store.js';
export { checkCount } from '../counts.js';
export { checkKnown, type AllNames } from '../store/known-fields.js';
export { MESSAGE_FIELDS, toBranchInfo, toCheckpointInfo } from '../store/store-data.js';
export * from '../store/stored-json.js';
