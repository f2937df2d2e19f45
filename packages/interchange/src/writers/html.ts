/** Writes a page for reading and printing, without scripts and without content of other servers. */
import { chatGraph, messagesOn, pathsOf, type Writer } from './writer.js';
import { besideText } from './beside-text.js';
import { HIDDEN_LOSS, iso, LOSSES_AROUND, portableMessage } from './portable-message.js';
import MarkdownIt from 'markdown-it';

/** Rendering time can grow with the square of the length; longer texts are shown as plain text. */
const MAX_RENDERED_LENGTH = 32 * 1024;

// Raw HTML is escaped. Images of other servers become links.
const markdown = new MarkdownIt({ html: false, breaks: true }).disable('image');

/** HTML of a text; safe for any text. */
function renderedText(text: string): string {
  if (text.length <= MAX_RENDERED_LENGTH) return markdown.render(text);
  return `<p class="plain">${markdown.utils.escapeHtml(text)}</p>`;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
article{border-left:3px solid #bbb;padding:0 0 0 1rem;margin:1.5rem 0;break-inside:avoid-page}
article.user{border-color:#3b6ea5}h3{margin:0;font-size:1rem}time{color:#595959;font-size:.85rem}
img{max-width:100%;margin:.5rem 0}.rest{color:#595959;font-style:italic;margin:.5rem 0}.said{overflow-wrap:anywhere;margin:.5rem 0}.plain{white-space:pre-wrap}
pre{overflow:auto;padding:.5rem;background:#f4f4f4}table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.1rem .5rem}
blockquote{margin:0 0 0 1rem;color:#595959}@media print{body{margin:0;max-width:none}}`;

const BEFORE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>Chats</title>
<style>${STYLE}</style>
</head>
<body>
`;

export const html: Writer = {
  name: 'html',
  label: 'HTML',
  extension: 'html',
  mediaType: 'text/html',
  fileName: null,
  losses: [
    ...LOSSES_AROUND,
    HIDDEN_LOSS,
    'parts of messages that are neither text nor an image in them: calls of tools, other files, thoughts',
    'ids',
    'where paths part: each is written from its beginning',
    'empty messages',
  ],
  frame: { before: BEFORE, between: '<hr>\n', after: '</body>\n</html>\n' },
  incomplete: (reason) => `<p class="rest">Incomplete: ${escaped(reason)}</p>\n`,
  async *write(chat, { paths }) {
    yield `<h1>${escaped(chat.chat.title ?? 'Untitled')}</h1>\n<p>${time(chat.chat.createdAt)}</p>\n`;
    const graph = await chatGraph(chat);
    const written = new Set<string>();
    for (const path of pathsOf(chat, graph, paths)) {
      if (paths !== 'active') yield `<h2>${escaped(path.name)}</h2>\n`;
      for await (const message of messagesOn(chat, graph, path)) {
        written.add(message.id);
        const { role, text, isHidden } = portableMessage(message);
        const { images, names } = besideText(message, true);
        if (isHidden) continue;
        if (text === '' && images.length === 0 && names.length === 0) continue;
        const body = text === '' ? '' : `<div class="said">${renderedText(text)}</div>\n`;
        const drawn = images.map(({ url, name }) => `<img alt="${escaped(name)}" src="${url}">\n`).join('');
        const rest = names.length === 0 ? '' : `<p class="rest">Not shown: ${escaped(names.join(', '))}</p>\n`;
        yield `<article class="${role}">\n<h3>${escaped(message.name)}</h3>\n${time(message.createdAt)}\n${body}${drawn}${rest}</article>\n`;
      }
    }
    return written.size;
  },
};

function time(at: number): string {
  return `<time datetime="${iso(at)}">${iso(at).slice(0, 16).replace('T', ' ')} UTC</time>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
