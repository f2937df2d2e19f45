/** What the package offers as `parley/context`: the library, without the server. */
export {
  ContextEngine,
  type ContextChatUpdates,
  type EngineSaveOptions,
  type ResolveOptions,
  type ResolveResult,
  type SaveResult,
} from '../context/engine.js';
export type { ContextEngineOptions } from '../context/position.js';
export { ContextError, type ContextErrorCode } from '../context/errors.js';
export {
  analogy,
  clarification,
  example,
  explain,
  glossary,
  guardrail,
  hint,
  policy,
  principle,
  quirk,
  role,
  styleGuide,
  term,
  workflow,
  type Analogy,
  type Clarification,
  type Example,
  type Explanation,
  type Guardrail,
  type Policy,
  type Principle,
  type Quirk,
  type StyleGuide,
  type Workflow,
} from '../context/fragments/domain-fragments.js';
export {
  fragment,
  isFragment,
  isFragmentObject,
  isMessageFragment,
  type ContextFragment,
  type FragmentData,
  type FragmentType,
} from '../context/fragments/fragment.js';
export {
  Section,
  type Entry,
  type FragmentNode,
  type ReadOptions,
  type UnwritableCharacters,
} from '../context/fragments/fragment-tree.js';
export {
  alias,
  correction,
  identity,
  persona,
  preference,
  type Identity,
  type Persona,
} from '../context/fragments/user-fragments.js';
export { messageCodec, type FragmentCodec } from '../context/messages/codec.js';
export {
  isLazyFragment,
  lastAssistantMessage,
  LAZY_ID,
  type LazyConfig,
  type LazyFragment,
} from '../context/messages/lazy-message.js';
export {
  assistant,
  message,
  system,
  user,
  type AnyMessageOptions,
  type MessageOptions,
} from '../context/messages/message.js';
export { isUIMessage, type UIMessage, type UIMessagePart } from '../context/messages/ui-message.js';
export { RemoteStore } from '../context/remote/remote-store.js';
export type { GraphQLClientOptions as RemoteStoreOptions } from '../context/remote/graphql-client.js';
export { ContextRenderer } from '../context/renderers/context-renderer.js';
export { MarkdownRenderer } from '../context/renderers/markdown-renderer.js';
export { TomlRenderer } from '../context/renderers/toml-renderer.js';
export { ToonRenderer } from '../context/renderers/toon-renderer.js';
export { XmlRenderer } from '../context/renderers/xml-renderer.js';
export { ContextStore } from '../context/store/context-store.js';
export type {
  BranchData,
  BranchInfo,
  ChatData,
  ChatUpdates,
  CheckpointData,
  CheckpointInfo,
  DeleteChatOptions,
  GraphData,
  GraphNode,
  ListChatsOptions,
  MessageData,
  NewBranchData,
  NewChatData,
  NewCheckpointData,
  NewMessageData,
  SavedMessages,
  SaveOptions,
  SearchOptions,
  SearchResult,
} from '../context/store/store-data.js';
