/** The worker of render-markdown.ts: the answer to a text is its HTML; the first message says that the worker has loaded. */
import { markdownHtml } from './markdown-html.js';

addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(markdownHtml(data)));
postMessage(null);
