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
      <button type="button" id="issuer" hidden></button>
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
      const post = async (path, body) => {
        if (!isSecureContext) throw new Error('Browsers keep a session over https only, or on localhost.');
        const response = await fetch(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const answer = await response.json().catch(() => null);
        if (answer === null) throw new Error('The server did not answer as expected: ' + response.status);
        if (!response.ok) throw new Error(answer.errors[0].message);
        return answer;
      };
      const showing = (action) => async (event) => {
        event.preventDefault();
        output.value = '';
        await action().catch((error) => (output.value = error.message));
      };
      const issuer = document.querySelector('#issuer');
      issuer.addEventListener('click', showing(async () => {
        const page = location.pathname + location.search + location.hash;
        location.assign((await post('/session/sign-in', { page })).url);
      }));
      fetch('/session/sign-in').then((response) => response.json()).then(({ issuer: name }) => {
        issuer.textContent = 'Sign in with ' + name;
        issuer.hidden = name === null;
      }, () => {});
      form.addEventListener('submit', showing(async () => {
        const token = form.token.value.trim().replace(/^Bearer +/i, '');
        if (!/^[A-Za-z0-9._~+/=-]+$/.test(token)) throw new Error('This is not a token.');
        const { userId } = await post('/session', { token });
        // For the explorer.
        localStorage.setItem('parley:user', JSON.stringify(userId));
        location.reload();
      }));
    </script>
  </body>
</html>
`;
