/**
 * Sign-in page of GraphiQL if only admins may use it. A browser cannot send a token when it opens a page, so this
 * page prompts for the token, fetches GraphiQL with it and replaces itself. The token exists only in the page.
 */

/** Placeholder for the token in GraphiQL's page. A token's letters need no escape in HTML or JSON. */
export const TOKEN_PLACE = 'the-token-of-the-admin';

export const signInPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Parley</title>
    <style>
      body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto 0; padding: 0 1rem; }
      input, button { font: inherit; width: 100%; box-sizing: border-box; margin-top: 0.5rem; }
      small { display: block; margin-top: 0.5rem; }
      output { color: #b00020; display: block; min-height: 1.5em; }
    </style>
  </head>
  <body>
    <h1>Parley</h1>
    <form>
      <label for="token">An admin's token</label>
      <input id="token" type="password" autocomplete="off" required autofocus aria-describedby="hint" />
      <small id="hint">With <code>AUTH_JWT_SECRET</code>, <code>npm run token -- --admin</code> prints one.</small>
      <button>Explore</button>
      <output></output>
    </form>
    <noscript>This page needs JavaScript.</noscript>
    <script>
      const form = document.querySelector('form');
      const output = document.querySelector('output');
      form.addEventListener('submit', async (event) => {
        event.preventDefault();
        output.value = '';
        const token = form.token.value.trim().replace(/^Bearer +/i, '');
        if (!/^[A-Za-z0-9._~+/=-]+$/.test(token)) return (output.value = 'This is not a token.');
        try {
          const response = await fetch(location.pathname, {
            headers: { accept: 'text/html', authorization: 'Bearer ' + token },
          });
          const text = await response.text();
          if (!response.ok) return (output.value = JSON.parse(text).errors[0].message);
          document.open();
          document.write(text.replaceAll('${TOKEN_PLACE}', token));
          document.close();
        } catch (error) {
          output.value = 'The server did not answer as expected: ' + error.message;
        }
      });
    </script>
  </body>
</html>
`;
