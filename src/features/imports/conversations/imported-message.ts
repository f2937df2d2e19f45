/** A message that is about to be written. Its values are computed on demand and not kept. */
import { MAX_DATA_BYTES, checkJson, UNDEFINED_FAULT } from '../../../conversation/bounds.js';
import type { PlacedMessage } from '../../../conversation/model.js';
import type { Position } from '../../../conversation/saving/placement.js';
import {
  embedFiles,
  type NodeContent,
  type SourceConversation,
  type SourceNode,
  messageData,
  type MessageData,
} from '@parley/interchange/server';
import type { SavedTree } from './saved-tree.js';
import { InvalidInputError } from '../../../conversation/errors.js';
import { fileReferences, referencesFault } from '../../../conversation/files/file-references.js';
import { messagePreview, shownText } from '../../../conversation/text/message-text.js';

/** Characters of messages that are cached between two uses: those of an INSERT, and more. */
const MAX_REMEMBERED = 2 * 1024 * 1024;

/** The values of a conversation's messages; only a part of a large conversation is in memory at any time. */
export class WrittenValues {
  readonly #remembered = new Map<string, MessageValues>();
  #characters = 0;
  /** By node: see embedFiles. */
  readonly #reserved = new Map<string, boolean[]>();

  constructor(
    private readonly from: Pick<SourceConversation, 'source' | 'files'>,
    private readonly saved: SavedTree,
  ) {}

  of(id: string, node: SourceNode): MessageValues {
    const remembered = this.#remembered.get(id);
    if (remembered !== undefined) return remembered;
    const values = messageValues(id, node.id, this.#contentOf(node), this.from.source);
    if (values.leftOut === 'original') this.saved.originalsLeftOut.add(node.id);
    if (values.leftOut === 'message') this.saved.messagesLeftOut.add(node.id);
    this.#characters += values.data.length;
    for (const [oldest, { data }] of this.#remembered) {
      if (this.#characters <= MAX_REMEMBERED) break;
      this.#remembered.delete(oldest);
      this.#characters -= data.length;
    }
    this.#remembered.set(id, values);
    return values;
  }

  #contentOf(node: SourceNode): NodeContent {
    const content = node.content();
    const { files = null } = this.from;
    if (files === null) return content;
    const reserved = this.#reserved.get(node.id) ?? [];
    const { parts, faults } = embedFiles(content, files, reserved, MAX_DATA_BYTES);
    if (reserved.length > 0) this.#reserved.set(node.id, reserved);
    for (const [url, fault] of faults) this.saved.filesLeftOut.set(url, fault);
    return { ...content, parts };
  }
}

/** The content of a message. Its getters are on the prototype: all messages of a large conversation are in memory. */
class ImportedContent {
  readonly type = 'message';
  readonly #id: string;
  readonly #node: SourceNode;
  readonly #written: WrittenValues;

  constructor(id: string, node: SourceNode, written: WrittenValues) {
    this.#id = id;
    this.#node = node;
    this.#written = written;
  }

  get name(): string {
    return this.#values.name;
  }

  get data(): string {
    return this.#values.data;
  }

  get text(): string {
    return this.#values.text;
  }

  get preview(): string {
    return this.#values.preview;
  }

  get #values(): MessageValues {
    return this.#written.of(this.#id, this.#node);
  }
}

export function importedMessage(
  position: Position,
  createdAt: number,
  node: SourceNode,
  written: WrittenValues,
): PlacedMessage {
  return Object.assign(new ImportedContent(position.id, node, written), position, { createdAt });
}

interface MessageValues extends Pick<MessageData, 'data' | 'leftOut'> {
  name: string;
  text: string;
  preview: string;
}

/**
 * @param id the message's new id
 * @param nodeId its id in the file
 */
export function messageValues(id: string, nodeId: string, content: NodeContent, source: string): MessageValues {
  const { message, data, leftOut } = messageData({ id, nodeId, content, source }, checked);
  const text = shownText(message);
  return { name: content.role, data, text, preview: messagePreview(text), leftOut };
}

/** Members that a reader set to undefined are omitted, as by JSON.stringify. */
function checked(value: unknown): string | { fault: string } {
  try {
    const data = checkJson(value, 'it', MAX_DATA_BYTES);
    const fault = referencesFault(fileReferences(data));
    return fault === null ? data : { fault: `it ${fault}` };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const { message: fault } = error;
    return fault === `it ${UNDEFINED_FAULT}` ? checked(JSON.parse(JSON.stringify(value))) : { fault };
  }
}
