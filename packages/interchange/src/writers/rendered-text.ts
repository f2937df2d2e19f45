/** Renders a text as Markdown for the HTML export, without scripts, raw HTML and content of other servers. */
import MarkdownIt from 'markdown-it';

/** Rendering time can grow with the square of the length; longer texts are shown as plain text. */
const MAX_RENDERED_LENGTH = 32 * 1024;

// Raw HTML is escaped. Images of other servers become links.
const markdown = new MarkdownIt({ html: false, breaks: true }).disable('image');

/** HTML of a text; safe for any text. */
export function renderedText(text: string): string {
  if (text.length <= MAX_RENDERED_LENGTH) return markdown.render(text);
  return `<p class="plain">${markdown.utils.escapeHtml(text)}</p>`;
}
