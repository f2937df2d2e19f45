/**
 * Sign-in page of GraphiQL if only admins may use it. A browser cannot send a token when it opens a page, so this page
 * opens a session with the token, and reloads itself.
 */

/** @param message about the present session, without markup */
export const signInPage = (message: string): string => `<!doctype html>
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
      <output>${message}</output>
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
        if (!isSecureContext) return (output.value = 'Browsers keep a session over https only, or on localhost.');
        try {
          const response = await fetch('/session', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ token }),
          });
          if (!response.ok) return (output.value = (await response.json()).errors[0].message);
          // For the explorer.
          localStorage.setItem('parley:user', JSON.stringify((await response.json()).userId));
          location.reload();
        } catch (error) {
          output.value = 'The server did not answer as expected: ' + error.message;
        }
      });
    </script>
  </body>
</html>
`;
