/** Passes a share from its page to the explorer, in the fragment, which browsers do not send. */

/** In this tab only: a link of another page cannot copy a share without a click. */
const KEY = 'parley:continue';

/** Opens the explorer, which copies the share after a sign-in. */
export function continueInParley(token: string, branch: string): void {
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    // The explorer asks first.
  }
  location.href = `/#/shared/${[token, branch].map(encodeURIComponent).join('/')}`;
}

/** Whether the page of the share requested its copy, once. */
export function takeRequest(token: string): boolean {
  try {
    const isRequested = sessionStorage.getItem(KEY) === token;
    sessionStorage.removeItem(KEY);
    return isRequested;
  } catch {
    return false;
  }
}
