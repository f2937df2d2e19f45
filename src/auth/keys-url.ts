/** Whether the URL of published keys has a user or a password: fetch refuses them and repeats them in its error. */
export function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
