/** The worker of render-markdown.ts: responds to a text with its HTML. Its first message reports that it has loaded. */
import { markdownHtml } from './markdown-html.js';
import type { Rendering } from './render-markdown.js';

addEventListener('message', ({ data: { text, versus } }: MessageEvent<Rendering>) => {
  const html = versus === null ? markdownHtml(text) : markedTo(text, versus);
  void html.then((rendered) => postMessage(rendered));
});
postMessage(null);

/** Only comparisons load the code. Without it, texts have no marks. */
async function markedTo(text: string, versus: NonNullable<Rendering['versus']>): Promise<string | null> {
  const loaded = await import('./marked-html.js').catch(() => null);
  return loaded === null ? markdownHtml(text) : loaded.markedHtml(text, versus);
}
