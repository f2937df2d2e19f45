/** Reads the conversations of a file as trees, one at a time. */
import { Readable } from 'node:stream';
import { openSourceFile, openStream } from '../files/open-file.js';
import type { SourceFile, SourceText } from '../files/source-text.js';
import { UnreadableError } from '../file-values.js';
import { embedFiles, type FileFault } from '../files/zip/embedded-files.js';
import type { AttachmentIndex } from '../files/zip/attachment-index.js';
import { MAX_DATA_BYTES } from '../limits.js';
import { findValues } from '../files/found-values.js';
import { READERS } from '../readers/all-readers.js';
import { conversationsIn } from '../readers/conversations-in.js';
import { sentence, type ReadConversation } from '../readers/guarded-reading.js';
import { parley } from '../readers/parley.js';
import type { Reader, NodeContent, SourceConversation, SourceNode } from '../source-conversation.js';
import { namedPlace, ReadReport, NOTHING_FOUND, TextFindings } from './read-report.js';

/** The readers of other formats and of Parley's own. */
const ALL_READERS: readonly Reader[] = [...READERS, parley];

/** The names of the formats that readConversations reads. */
export const READABLE_FORMATS: readonly string[] = ALL_READERS.map(({ name }) => name);

export interface ReadOptions {
  /** The format of the whole file, one of READABLE_FORMATS. @default each value's format is found by its shape */
  format?: string;
  /** The name of the file when it is a stream or bytes, for messages and for titles. @default none: 'the file' in messages */
  name?: string;
  /** Called after each conversation with the bytes read of the file; `of` is null for a stream. */
  onProgress?: (progress: { read: number; of: number | null }) => void;
}

/**
 * A conversation as a tree, parents before their replies. `content()` reads from the file: a tree is valid until the next one
 * is read.
 */
export interface ConversationTree extends Omit<SourceConversation, 'files'> {
  /** The position in the file, such as `conversation 3` or `line 12 of chats.jsonl`. */
  readonly place: string;
}

/** Trees, and a report that is complete after the last one. It can be read once. */
export interface ConversationReading extends AsyncIterable<ConversationTree> {
  readonly report: ReadReport;
  /** The number of files that are not embedded in the messages that refer to them, counted as content is read. */
  readonly filesLeftOut: Readonly<Record<FileFault, number>>;
}

/**
 * Reads JSON, JSON Lines, HTML of Gemini's activity, gzip, a zip or a folder of these. Memory is bounded: a large
 * conversation and a streamed zip wait in files of the folder for temporary files.
 *
 * A conversation that cannot be read is in the report, and reading continues after it.
 * @param file a path, bytes, or a stream of bytes
 * @throws RangeError for an unknown format; while reading, UnreadableError for a file that cannot be read at all
 */
export function readConversations(
  file: string | Uint8Array | AsyncIterable<Uint8Array | string>,
  options: ReadOptions = {},
): ConversationReading {
  const { format } = options;
  const reader = ALL_READERS.find(({ name }) => name === format) ?? null;
  if (format !== undefined && reader === null) {
    throw new RangeError(`format must be one of ${READABLE_FORMATS.join(', ')}, not ${JSON.stringify(format)}`);
  }
  const report = new ReadReport();
  const filesLeftOut = { missing: 0, large: 0, damaged: 0, tooMuch: 0 };
  const open = () => {
    if (typeof file === 'string') return openSourceFile(file);
    return openStream(file instanceof Uint8Array ? Readable.from([file]) : file, options.name ?? 'the file');
  };
  return {
    report,
    filesLeftOut,
    async *[Symbol.asyncIterator]() {
      const source = await open();
      try {
        yield* treesOf(source, reader, {
          report,
          filesLeftOut,
          onProgress: options.onProgress,
          name: options.name ?? null,
        });
      } finally {
        await source.close();
      }
    },
  };
}

interface Reading {
  report: ReadReport;
  filesLeftOut: Record<FileFault, number>;
  onProgress: ReadOptions['onProgress'];
  name: string | null;
}

async function* treesOf(
  source: SourceFile,
  format: Reader | null,
  reading: Reading,
): AsyncGenerator<ConversationTree, void> {
  const { report } = reading;
  let mayHoldOthers = false;
  for await (const text of source.texts) {
    mayHoldOthers ||= text.isMaybe;
    for await (const tree of treesIn(text, text.files ?? source.files, format, reading)) {
      yield tree;
      reading.onProgress?.({ read: source.bytesRead(), of: source.size });
    }
  }
  for (const line of source.leftOut ?? []) report.notes.add(line);
  if (report.conversations + report.failures.total === 0 && mayHoldOthers) report.fail(NOTHING_FOUND);
}

async function* treesIn(
  text: SourceText,
  files: AttachmentIndex | null,
  format: Reader | null,
  { report, filesLeftOut, name }: Reading,
): AsyncGenerator<ConversationTree, void> {
  const findings = new TextFindings(text, report);
  try {
    const warnings: string[] = [];
    const source = { fileName: text.fileName ?? text.name ?? name, digest: text.digest, warnings };
    const values = findValues(text.bytes(), null, (sentence) => warnings.push(sentence));
    for await (const read of conversationsIn(values, format, source, ALL_READERS)) {
      if ('fault' in read) {
        findings.note(read);
        continue;
      }
      const place = findings.placeOf(read.place);
      findings.found++;
      const { conversation } = read;
      yield { ...conversation, place, nodes: nodesWithFiles(conversation.nodes, files, filesLeftOut) };
      count(report, place, read);
    }
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    findings.breakOff(sentence(error));
  }
  findings.end();
}

function count(report: ReadReport, place: string, read: Extract<ReadConversation, { conversation: unknown }>): void {
  const { conversation, reader } = read;
  report.conversations++;
  report.messages += conversation.nodes.length;
  report.formats.set(reader.label, (report.formats.get(reader.label) ?? 0) + 1);
  report.textsChanged += read.textsChanged();
  const where = namedPlace(place, conversation.title);
  for (const warning of conversation.warnings) report.warnings.add(`${where}: ${warning}`);
}

/** The nodes with the files of the zip embedded in their content. */
function nodesWithFiles(
  nodes: readonly SourceNode[],
  files: AttachmentIndex | null,
  left: Record<FileFault, number>,
): readonly SourceNode[] {
  if (files === null || files.isEmpty) return nodes;
  return nodes.map((node) => {
    const reserved: boolean[] = [];
    let isCounted = false;
    const content = (): NodeContent => {
      const { attached = [], ...found } = node.content();
      const { parts, faults } = embedFiles({ ...found, attached }, files, reserved, MAX_DATA_BYTES);
      if (!isCounted) for (const fault of faults.values()) left[fault]++;
      isCounted = true;
      return { ...found, parts };
    };
    return { ...node, content };
  });
}
