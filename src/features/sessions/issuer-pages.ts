/** The two pages that end a sign-in at the issuer. They load nothing. */
import { hash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';

export interface Page {
  headers: OutgoingHttpHeaders;
  html: string;
}

/** Stores the user for the explorer, and opens the page in which the user began. */
const SCRIPT = `
const { user, page } = document.body.dataset;
try { localStorage.setItem('parley:user', JSON.stringify(user)); } catch {}
location.replace(page);
`;

/**
 * A redirect would be a part of the navigation that began on the site of the issuer: browsers would not send the new cookie,
 * which is SameSite=Strict. A page of this server opens the next one instead.
 */
export const signedInPage = (userId: string, page: string): Page =>
  pageOf(
    `<body data-user="${escaped(userId)}" data-page="${escaped(page)}">
    <h1>Signed in</h1>
    <p><a href="${escaped(page)}">Continue to Parley</a></p>
    <script>${SCRIPT}</script>
  </body>`,
    `'sha256-${hash('sha256', SCRIPT, 'base64')}'`,
  );

export const failedPage = (reason: string): Page =>
  pageOf(
    `<body>
    <h1>The sign-in failed</h1>
    <p role="alert">${escaped(reason)}</p>
    <p><a href="/">Back to Parley</a></p>
  </body>`,
    "'none'",
  );

const pageOf = (body: string, scripts: string): Page => ({
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; script-src ${scripts}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  },
  html: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Parley</title>
    <style>
      body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto 0; padding: 0 1rem; }
    </style>
  </head>
  ${body}
</html>
`,
});

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
