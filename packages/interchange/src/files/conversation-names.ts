/** Selects the files of a zip or a folder that hold conversations. */
import { UnreadableError } from '../file-values.js';

/** Browsers and file managers append one of these to the name of a second file: ` (1)`, ` copy`, ` - Copy (2)`. */
const COPY = String.raw`(?: ?\(\d+\)| copy(?: \d+)?| - copy(?: \(\d+\))?)?`;
/**
 * In any folder. Newer exports are split into conversations-000.json and so on. Claude also has a folder with a file
 * for each conversation; Gemini in Workspace has conversation_1.txt.
 */
const CONVERSATIONS = new RegExp(
  String.raw`(^|/)((conversations(-\d+)?${COPY}|(conversations|design_chats)/[^/]+)\.json|conversation_\d+${COPY}\.txt)$`,
  'i',
);
/** In some exports, each part is a zip: Conversations__…-0001.zip. */
const PARTS = /(^|\/)(conversations|design_chats)[^/]*\.zip$/i;
/** Other files that can hold conversations. AI Studio's files have no extension; Takeout's HTML has any name. */
const MAYBE = /(\.jsonl?|\.ndjson|\.html?|\/[^./]+)$/i;
/** Files in memory, at up to three kilobytes each. */
const MAX_FILES = 50_000;
/** ChatGPT's lists of files, which are read by themselves, and its conversations as a page. */
const KNOWN = /(^|\/)((export_manifest|conversation_asset_file_names)\.json|chat\.html)$/i;
/** Files with text, except attachments of ChatGPT. */
const TEXT = /(^|\/)(?!file[-_])[^/]+\.(jsonl?|ndjson|html?)$/i;
/** Names of ChatGPT's shards, in a list of any form. */
const SHARDS = /\bconversations-\d+\.json\b/g;
/** Bytes of a list of files. */
export const MAX_MANIFEST_BYTES = 8 * 1024 * 1024;
/** Files that packing programs create. */
const NOISE = /(^|\/)(__MACOSX\/|\.)/;

/** The files with a name for conversations, else all that can hold some: `isMaybe`. */
export class ConversationNames<Entry> {
  readonly #named: [string, Entry][] = [];
  readonly #others: [string, Entry][] = [];
  readonly #parts: [string, Entry][] = [];

  static isNoise(name: string): boolean {
    return NOISE.test(name);
  }

  static isManifest(name: string): boolean {
    return /(^|\/)export_manifest\.json$/i.test(name);
  }

  /** @param name the path, with slashes */
  add(name: string, entry: Entry): void {
    const names = this.#namesOf(`/${name}`);
    if (names !== null && names.length <= MAX_FILES) names.push([name, entry]);
  }

  #namesOf(path: string): [string, Entry][] | null {
    if (CONVERSATIONS.test(path)) return this.#named;
    if (PARTS.test(path)) return this.#parts;
    return MAYBE.test(path) ? this.#others : null;
  }

  get isMaybe(): boolean {
    return this.#named.length === 0;
  }

  /**
   * Sorted by name.
   * @throws UnreadableError when there are too many
   */
  get chosen(): Entry[] {
    return sorted(this.isMaybe ? this.#others : this.#named);
  }

  /** A sentence for each file with text that is not read, because others have names for conversations. */
  get leftOut(): string[] {
    if (this.isMaybe && this.#parts.length === 0) return [];
    const names = this.#others.map(([name]) => name).filter((name) => TEXT.test(name) && !KNOWN.test(name));
    return names.sort().map((name) => `${name} is left out: it does not have the name of a list of conversations`);
  }

  /** A sentence for each shard that a manifest names and that is missing. */
  missingOf(manifest: string): string[] {
    const found = new Set(this.#named.map(([name]) => name.slice(name.lastIndexOf('/') + 1)));
    const missing = [...new Set(manifest.match(SHARDS))].filter((name) => !found.has(name));
    return missing.map((name) => `${name} is missing: export_manifest.json names it`);
  }

  /** The zips that hold the conversations, sorted by name; none if the conversations are in files. */
  get parts(): Entry[] {
    return this.isMaybe ? sorted(this.#parts) : [];
  }
}

function sorted<Entry>(entries: [string, Entry][]): Entry[] {
  if (entries.length > MAX_FILES) {
    throw new UnreadableError(`More than ${MAX_FILES.toLocaleString('en')} files in it may contain conversations`);
  }
  return entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
}
