/** Writes docs/images/graphiql.png: GraphiQL with the demo, as after the first start. */
import { join } from 'node:path';
import { root } from '../parts.mjs';
import { withServer } from './with-server.mjs';

const picture = join(root, 'docs/images/graphiql.png');
await withServer(async (browser, url) => {
  const page = await browser.newPage({
    viewport: { width: 1400, height: 900 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  await page.goto(url);
  await page.locator('.graphiql-query-editor').getByText('query NewestChat').waitFor();
  await page.locator('.graphiql-execute-button').click();
  await page.locator('.graphiql-response').getByText('"demo-answer"').first().waitFor();
  // Away from the button, whose tooltip would cover the query.
  await page.mouse.move(1100, 890);
  await page.locator('.graphiql-spinner').waitFor({ state: 'detached' });
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  const style = '.monaco-scrollable-element > .scrollbar { visibility: hidden !important; }';
  await page.screenshot({ path: picture, style, animations: 'disabled', caret: 'hide' });
});
console.log(picture);
