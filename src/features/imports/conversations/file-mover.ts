/** Stores the files of a conversation before its messages are written, which then refer to them. */
import { referenceTo, stringsIn } from '../../../conversation/files/file-references.js';
import type { ConversationStore } from '../../../conversation/store.js';
import {
  hasLongDataUrls,
  longDataUrls,
  MAX_DATA_URL_LENGTH,
  withReplaced,
  type DataUrl,
} from '../../../files/data-urls.js';
import type { Files } from '../../../files/files.js';
import { mediaTypeAt, mediaTypeOf } from '../../../files/media-types.js';
import {
  type Attachment,
  type AttachmentIndex,
  importedChatId,
  type LongDataUrl,
  type LongDataUrls,
  MAX_STRING_BYTES,
  type NodeContent,
  pointersOf,
  type SourceConversation,
  type SourceNode,
} from '@parley/interchange/server';
import { addAttachment, addImportedDataUrl, FileProblems } from './add-attachment.js';
import { KnownMessages } from './known-messages.js';

/** Nodes whose messages are looked up together. */
const NODES_PER_LOOK = 200;

export class FileMover {
  /** Hashes of data URLs that are files now. */
  readonly #moved = new Set<string>();
  /** References to the files of data URLs that are too long for memory, by the hash of the URL. */
  readonly #movedLong = new Map<string, string>();

  constructor(
    private readonly store: ConversationStore,
    private readonly files: Files,
    private readonly userId: string,
    private readonly longUrls: LongDataUrls,
  ) {}

  /**
   * Stores long data URLs, and files of the zip that make long ones. Those beyond a limit remain, with a warning.
   * Messages that were imported before are left out.
   * @returns the conversation whose messages refer to the files
   * @throws UnreadableError, FileStorageError and errors of the database
   */
  async move(from: SourceConversation): Promise<SourceConversation> {
    const { files = null } = from;
    const nodes = from.nodes.filter((node) => {
      const content = node.content();
      return hasLongDataUrls(dataOf(content)) || longAttachments(content, files).length > 0;
    });
    if (nodes.length === 0) return from;
    const problems = new FileProblems();
    const moved = new Set<SourceNode>();
    for await (const node of this.#newOnes(from, nodes)) {
      const content = node.content();
      for (const url of wholeDataUrls(content)) await this.#addDataUrl(url).catch((e: unknown) => problems.add(e));
      for (const { long } of this.#longUrlsIn(dataOf(content))) {
        await this.#addLongUrl(long).catch((e: unknown) => problems.add(e));
      }
      for (const { attachment, mediaType } of longAttachments(content, files)) {
        await this.#addAttachment(attachment, mediaType).catch((e: unknown) => problems.add(e));
      }
      moved.add(node);
    }
    // Those of messages that were imported before, too.
    for (const node of nodes) {
      for (const { long } of this.#longUrlsIn(dataOf(node.content()))) this.longUrls.discard(long.hash);
    }
    return {
      ...from,
      nodes: from.nodes.map((node) => (moved.has(node) ? this.#withReferences(node) : node)),
      warnings: [...from.warnings, ...problems.warnings],
    };
  }

  async *#newOnes(from: SourceConversation, nodes: readonly SourceNode[]): AsyncGenerator<SourceNode> {
    const chatId = importedChatId(this.userId, from.source, from.conversationId);
    if ((await this.store.chat(chatId)) === null) yield* nodes;
    else {
      for (let start = 0; start < nodes.length; start += NODES_PER_LOOK) {
        const some = nodes.slice(start, start + NODES_PER_LOOK);
        const known = new KnownMessages(chatId);
        await this.store.change(chatId, this.userId, (locked) => known.read(locked, some));
        yield* some.filter(({ id }) => known.get(known.idOf(id)) === undefined);
      }
    }
  }

  async #addDataUrl(url: DataUrl): Promise<void> {
    await addImportedDataUrl(this.files, this.userId, url);
    this.#moved.add(url.sha256);
  }

  *#longUrlsIn(data: unknown): Generator<{ url: string; long: LongDataUrl }> {
    for (const { value: url } of stringsIn(data)) {
      const long = this.longUrls.find(url);
      if (long !== null) yield { url, long };
    }
  }

  async #addLongUrl({ hash, mediaType, chunks }: LongDataUrl): Promise<void> {
    if (this.#movedLong.has(hash)) return;
    const { id } = await this.files.addContent(this.userId, {
      content: chunks(),
      mediaType: (path) => mediaTypeAt(path, mediaTypeOf(mediaType)),
    });
    this.#movedLong.set(hash, referenceTo(id));
  }

  async #addAttachment(attachment: Attachment, declared: unknown): Promise<void> {
    if (attachment.stored !== null) return;
    const added = await addAttachment(this.files, this.userId, { attachment, declared });
    if (added !== null) attachment.store({ url: referenceTo(added.id), mediaType: added.mediaType });
  }

  #withReferences(node: SourceNode): SourceNode {
    const { id, parentId, createdAt } = node;
    const content = (): NodeContent => {
      const found = node.content();
      const moved = wholeDataUrls(found).filter(({ sha256 }) => this.#moved.has(sha256));
      const references = new Map(moved.map(({ url, sha256 }) => [url, referenceTo(sha256)]));
      for (const { url, long } of this.#longUrlsIn(dataOf(found))) {
        const reference = this.#movedLong.get(long.hash);
        if (reference !== undefined) references.set(url, reference);
      }
      const parts = withReplaced(found.parts, references) as NodeContent['parts'];
      // The original repeats files of parts: a second reference would list them twice.
      for (const { value: url } of stringsIn(found.parts)) {
        const reference = references.get(url);
        if (reference !== undefined) references.set(url, `sha256:${reference.slice(-64)}`);
      }
      return { ...found, parts, original: withReplaced(found.original, references) as NodeContent['original'] };
    };
    return { id, parentId, createdAt, content };
  }
}

/** The members that become data of the message. */
function dataOf({ parts, original }: NodeContent): Pick<NodeContent, 'parts' | 'original'> {
  return { parts, original };
}

/** Without those that the reader has truncated. */
function wholeDataUrls(content: NodeContent): DataUrl[] {
  return longDataUrls(dataOf(content)).filter(({ url }) => url.length <= MAX_STRING_BYTES);
}

function longAttachments(content: NodeContent, files: AttachmentIndex | null) {
  if (files === null || files.isEmpty) return [];
  return pointersOf(content).flatMap(({ url, mediaType }) => {
    const attachment = files.find(String(url));
    const isLong = attachment !== null && Math.ceil(attachment.size / 3) * 4 > MAX_DATA_URL_LENGTH;
    return isLong ? [{ attachment, mediaType }] : [];
  });
}
