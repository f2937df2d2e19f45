/** The worker of render-markdown.ts: responds to a text with its HTML. Its first message reports that it has loaded. */
import { markdownHtml } from './markdown-html.js';

addEventListener('message', ({ data }: MessageEvent<string>) => {
  void markdownHtml(data).then((html) => postMessage(html));
});
postMessage(null);
