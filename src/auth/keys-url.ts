/** Whether the URL of published keys has a user or a password in it: fetch takes none there, and says them in its error. */
export function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
