/**
 * Gemini in Google Takeout: single prompts with their answers (MyActivity.json and MyActivity.html), and whole
 * conversations in Workspace (conversation_1.txt).
 */
import { type JsonObject, LeftOutError } from '../../file-values.js';
import type { ValueReader, MessagePart, FoundSource } from '../../source-conversation.js';
import { foundConversation, titleFrom, SourceGraph } from '../shared/source-graph.js';
import { arrayOf, contentId, objectOf, textOf, anyToMs } from '../shared/members.js';
import { dataPart, filePart, reasoningParts, textParts } from '../shared/parts.js';
import { htmlMarkdown } from '../shared/html-markdown.js';
import { htmlText } from '../shared/html-text.js';

/** The prefix of a prompt in the user's language: "Prompted what is a wren?" In HTML a no-break space ends it. */
const ASKED =
  /^(?:(?:Prompted(?: with:)?|Asked(?: (?:Gemini|Bard):)?|Said|Eingegebener Prompt:|已提示|已給予提示|[^\u00a0\n]{1,60}:(?=\u00a0))\s+)/;

/** Titles of activities other than prompts: feedback, canvases and use of the app. They are known in English only. */
const OTHER_ACTIVITY =
  /^(?:Gave feedback|Cleared previous feedback|Created Gemini Canvas titled|Selected preferred draft|Answered survey question|Used Gemini Apps)\b/;

export const geminiTakeout: ValueReader = {
  name: 'gemini-takeout',
  label: 'Gemini (Takeout)',
  claims: (value) => isHistory(value) || isActivity(value),
  read: (value) => (isHistory(value) ? readHistory(value) : readActivity(value)),
};

/** Activities of other products, such as Search and YouTube, have the same form. */
function isActivity({ header, title, products, ...others }: JsonObject): boolean {
  if (typeof header !== 'string' || typeof title !== 'string' || !Array.isArray(products)) return false;
  return 'time' in others && [header, ...(products as unknown[])].some((name) => /gemini|bard/i.test(String(name)));
}

function isHistory(value: JsonObject): boolean {
  return Array.isArray(value['conversation_turns']);
}

function readHistory(history: JsonObject): FoundSource[] {
  const { title, creation_time: createTime, last_modification_time: updateTime, ...rest } = history;
  const { conversation_turns, ...original } = rest;
  const turns = arrayOf(conversation_turns).map(objectOf);
  const timed = contentId([createTime ?? null, objectOf(turns[0]?.['user_turn'])['prompt'] ?? null]);
  const graph = new SourceGraph();
  let previous: string | null = null;
  for (const [n, turn] of turns.entries()) {
    const { user_turn: asked, system_turn: answered } = turn;
    const { prompt, turn_last_modified: time } = objectOf(asked ?? answered);
    const parts = asked === undefined ? answerParts(objectOf(answered)) : textParts(prompt);
    previous = graph.add({
      id: String(n + 1),
      parent: previous,
      createdAt: anyToMs(time),
      content: () => ({
        role: asked === undefined ? 'assistant' : 'user',
        parts: parts.length > 0 ? parts : [dataPart('turn', turn)],
        createTime: time,
        original: turn,
        fingerprinted: turn,
      }),
    });
  }
  const id = createTime == null ? null : timed;
  const own = { source: 'gemini-takeout', id, formerId: timed };
  return [foundConversation({ ...own, title, createTime, updateTime, graph, original })];
}

function answerParts({ text, images, model_thoughts }: JsonObject): MessagePart[] {
  const answers = arrayOf(text).map(objectOf);
  return [
    ...arrayOf(model_thoughts)
      .map(objectOf)
      .flatMap(({ headline, description }) => reasoningParts(headline, description)),
    ...answers.flatMap(({ data, cards }) =>
      textParts(data, ...arrayOf(cards).map((card) => objectOf(card)['content'])),
    ),
    ...arrayOf(images).map((image) => dataPart('image', image)),
  ];
}

function readActivity(activity: JsonObject): FoundSource[] {
  const { title, time, safeHtmlItem, ...others } = activity;
  const shown = textOf(others['shownTime']);
  const timed = contentId([time ?? shown, title]);
  if (OTHER_ACTIVITY.test(textOf(title) ?? '')) throw new LeftOutError('it is not a prompt');
  const prompt = textOf(title)?.replace(ASKED, '') ?? '';
  const files = filesOf(others);
  const warnings =
    shown !== null && anyToMs(time) === null ? [`its time cannot be read: ${JSON.stringify(shown)}`] : [];
  const answers = arrayOf(safeHtmlItem).map((item) => {
    const html = textOf(objectOf(item)['html']) ?? '';
    const markdown = htmlMarkdown(html);
    if (markdown === null)
      warnings.push('its answer is too large or nested too deep for Markdown and became plain text');
    return markdown ?? htmlText(html);
  });
  const graph = new SourceGraph();
  const createdAt = anyToMs(time);
  const asked = graph.add({
    id: 'prompt',
    parent: null,
    createdAt,
    content: () => ({
      role: 'user',
      parts: [...textParts(prompt), ...files.map((file) => dataPart('attachment', file))],
      attached: files.map(({ url, name }) => filePart(url, null, name)),
      createTime: time,
      original: { title, ...others },
      fingerprinted: title,
    }),
  });
  if (answers.length > 0) {
    graph.add({
      id: 'answer',
      parent: asked,
      createdAt,
      content: () => ({
        role: 'assistant',
        parts: textParts(...answers),
        createTime: time,
        original: { safeHtmlItem },
        fingerprinted: safeHtmlItem,
      }),
    });
  }
  return [
    foundConversation({
      source: 'gemini-takeout',
      id: (time ?? shown) == null ? null : timed,
      formerId: timed,
      title: titleFrom(prompt),
      createTime: time,
      updateTime: time,
      graph,
      original: {},
      warnings,
    }),
  ];
}

/** Files of a prompt: their names in the zip and their shown names. */
function filesOf({ subtitles, attachedFiles, imageFile }: JsonObject): { url: string; name?: string }[] {
  const files = new Map<string, { url: string; name?: string }>();
  for (const subtitle of arrayOf(subtitles)) {
    const { url, name } = objectOf(subtitle);
    const file = textOf(url);
    if (file === null || /^[a-z]+:/i.test(file)) continue;
    files.set(file, { url: file, name: textOf(name)?.replace(/^-\s+/, '') ?? file });
  }
  for (const file of [...arrayOf(attachedFiles), imageFile].map(textOf)) {
    if (file !== null && !files.has(file)) files.set(file, { url: file });
  }
  return [...files.values()];
}
