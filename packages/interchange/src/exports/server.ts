/** The parts that Parley's server uses to import and export. Any version may change them. */
export { findValues } from '../files/found-values.js';
export { CollectedValue } from '../files/json/collected-value.js';
export { LongDataUrls, type LongDataUrl } from '../files/json/long-data-urls.js';
export type { FoundValue } from '../files/json/parsed-value.js';
export { makeStorable } from '../files/json/storable-text.js';
export { openSourceFile, openStream, isSqliteFile } from '../files/open-file.js';
export type { SourceFile, SourceText } from '../files/source-text.js';
export { MAX_STRING_BYTES } from '../limits.js';
export {
  createTemporaryFolder,
  createTemporaryFoldersWith,
  temporaryFolderIn,
  type TemporaryFolder,
  temporarySpaceFault,
} from '../files/temporary-space.js';
export { NOTHING_FOUND, TextFindings, namedPlace, ReportLines, type ReadFailure } from '../trees/read-report.js';
export { UnreadableError } from '../file-values.js';
export { embedFiles, pointersOf, type FileFault, mediaTypeOf } from '../files/zip/embedded-files.js';
export { MAX_GROWTH, type Attachment, type AttachmentIndex } from '../files/zip/attachment-index.js';
export { READERS, readerNamed } from '../readers/all-readers.js';
export { conversationsIn } from '../readers/conversations-in.js';
export {
  futureTimesWarning,
  isInFuture,
  MAX_CLOCK_SKEW_MS,
  sentence,
  type ReadConversation,
} from '../readers/guarded-reading.js';
export { anyToMs } from '../readers/shared/members.js';
export type { NodeContent, Reader, SourceConversation, SourceNode } from '../source-conversation.js';
export { chatTitle } from '../trees/chat-title.js';
export { importedChatId, importedMessageId, importedVersionId } from '../trees/import-ids.js';
export { messageData, contentFingerprint, type MessageData } from '../trees/message-data.js';
export { nodeTimes, type NodeTimes } from '../trees/node-times.js';
export { WRITERS, writerNamed } from '../writers/all-writers.js';
export { parley, PARLEY_VERSION } from '../writers/parley.js';
export { LINES, PATHS, type Paths, type Writer, type WriterOptions } from '../writers/writer.js';
