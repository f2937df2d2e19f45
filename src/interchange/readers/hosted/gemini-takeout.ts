/** What Google Takeout tells of Gemini Apps (MyActivity.json): a prompt and its answer at a time, without a thread. */
import type { ValueReader } from '../reader.js';
import type { SourceConversation } from '../source-conversation.js';
import { foundConversation } from '../shared/conversation.js';
import { UnreadableError } from '../../files/unreadable.js';
import { arrayOf, contentId, objectOf, textOf, type JsonObject } from '../shared/members.js';
import { textParts } from '../shared/parts.js';
import { SourceGraph } from '../shared/source-graph.js';
import { anyToMs } from '../shared/times.js';
import { htmlText } from './html-text.js';

export const geminiTakeout: ValueReader = {
  name: 'gemini-takeout',
  label: 'Gemini (Takeout)',
  claims: (value) =>
    typeof value['header'] === 'string' &&
    typeof value['title'] === 'string' &&
    'time' in value &&
    Array.isArray(value['products']),
  read: (value) => readActivity(value),
};

function readActivity(activity: JsonObject): SourceConversation[] {
  const { title, time, safeHtmlItem, ...others } = activity;
  const id = contentId([time ?? null, title]);
  if (id === null) throw new UnreadableError('nothing identifies the activity');
  // In the language of the user: "Prompted what is a wren?"
  const prompt = textOf(title)?.replace(/^(Prompted|Asked|Said)\s+/, '') ?? '';
  const answers = arrayOf(safeHtmlItem).map((item) => textOf(objectOf(item)['html']) ?? '');
  const graph = new SourceGraph();
  const createdAt = anyToMs(time);
  const asked = graph.add({
    id: 'prompt',
    parent: null,
    createdAt,
    content: () => ({
      role: 'user',
      parts: textParts(prompt),
      createTime: time,
      original: { title, ...others },
      said: title,
    }),
  });
  if (answers.length > 0) {
    graph.add({
      id: 'answer',
      parent: asked,
      createdAt,
      content: () => ({
        role: 'assistant',
        parts: textParts(...answers.map(htmlText)),
        createTime: time,
        original: { safeHtmlItem },
        said: safeHtmlItem,
      }),
    });
  }
  return [
    foundConversation({
      source: 'gemini-takeout',
      id,
      title: prompt.split('\n', 1)[0]?.slice(0, 100),
      createTime: time,
      updateTime: time,
      graph,
      original: {},
    }),
  ];
}
