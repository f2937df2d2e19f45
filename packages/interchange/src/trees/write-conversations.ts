/** Writes trees as text of a format, one conversation at a time. */
import { WRITERS, writerNamed } from '../writers/all-writers.js';
import { LINES, PATHS, type Paths } from '../writers/writer.js';
import { treeChat, type WritableTree } from './tree-chat.js';

/** The names of the formats that writeConversations writes. */
export const WRITABLE_FORMATS: readonly string[] = WRITERS.map(({ name }) => name);

export interface WriteOptions {
  /**
   * The paths to write in a format that holds one path at a time (completions, markdown, html): to the active message, or
   * to all leaves. @default 'active'
   */
  paths?: Exclude<Paths, 'checkpoints'>;
  /** The owner of the chats in Parley's own format. Ids of chats depend on it. @default 'local' */
  userId?: string;
  /**
   * Whether the file has one tree, for a program that reads a bare conversation and no list of one: LibreChat.
   * @default false
   */
  isAlone?: boolean;
}

/**
 * The text of a file with all trees, in chunks. One tree is in memory at a time. A message of more than 1 MiB or 200 levels is
 * written without its `original`; if it is still too large, a placeholder replaces it.
 * @param trees those of readConversations, or your own
 * @param format one of WRITABLE_FORMATS
 * @throws RangeError for an unknown format; while writing, the errors of `trees`
 */
export function writeConversations(
  trees: Iterable<WritableTree> | AsyncIterable<WritableTree>,
  format: string,
  { paths = 'active', userId = 'local', isAlone = false }: WriteOptions = {},
): AsyncGenerator<string, void> {
  const writer = writerNamed(format);
  if (writer === undefined)
    throw new RangeError(`format must be one of ${WRITABLE_FORMATS.join(', ')}, not ${JSON.stringify(format)}`);
  if (!PATHS.includes(paths)) throw new RangeError(`paths must be active or leaves, not ${JSON.stringify(paths)}`);
  const { before, between, after } = isAlone && writer.isBareAlone === true ? LINES : writer.frame;
  return (async function* () {
    if (before !== '') yield before;
    let isFirst = true;
    for await (const tree of trees) {
      if (!isFirst && between !== '') yield between;
      isFirst = false;
      yield* writer.write(treeChat(tree, userId), { paths });
    }
    if (after !== '') yield after;
  })();
}
