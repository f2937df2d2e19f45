/** The exports of `@parley/context`: all of a module that has no others. */
export { ContextEngine, type ContextChatUpdates } from '../engine/context-engine.js';
export type { MergeOptions } from '../engine/merge.js';
export type { EngineSaveOptions } from '../engine/pending-saves.js';
export type { ContextEngineOptions } from '../engine/position.js';
export type { RecallOptions } from '../engine/recall.js';
export type { ContextEstimate, ContextInspection, ResolveOptions, ResolveResult } from '../engine/resolve-options.js';
export type { FileData, FileOfMessage, ReadFileOptions } from '../file-data.js';
export type { ModelFilesOptions, OmittedFile } from '../files/model-files.js';
export type { SaveResult } from '../save-result.js';
export { ContextError, DraftOffsetError, type ContextErrorCode } from '../errors.js';
export * from '../fragments/domain-fragments.js';
export * from '../fragments/fragment.js';
export type { ComputedFragment } from '../fragments/fragment-source.js';
export {
  Section,
  type Entry,
  type FragmentNode,
  type ReadOptions,
  type UnwritableCharacters,
} from '../fragments/fragment-tree.js';
export * from '../fragments/user-fragments.js';
export type { WindowOptions } from '../messages/message-window.js';
export { messageCodec, type FragmentCodec } from '../codec.js';
export * from '../messages/lazy-message.js';
export * from '../messages/message.js';
export { isUIMessage, type UIMessage, type UIMessagePart } from '../messages/ui-message.js';
export { RemoteStore } from '../remote/remote-store.js';
export type { ExportOptions, ImportOptions, ImportTotals } from '../remote/transfer.js';
export type { GraphQLClientOptions as RemoteStoreOptions } from '../remote/graphql-client.js';
export { ContextRenderer } from '../renderers/context-renderer.js';
export { MarkdownRenderer } from '../renderers/markdown-renderer.js';
export { TomlRenderer } from '../renderers/toml-renderer.js';
export { ToonRenderer } from '../renderers/toon-renderer.js';
export { XmlRenderer } from '../renderers/xml-renderer.js';
export { ContextStore } from '../store/context-store.js';
export { visualizeGraph } from '../store/visualize-graph.js';
export type { ChunkSource } from '../streaming/chunk-source.js';
export type { MessageSource, SourceRequest, StreamOptions } from '../streaming/message-source.js';
export type { MessageStream } from '../streaming/message-stream.js';
export type * from '../store/draft-data.js';
export type * from '../store/store-data.js';
