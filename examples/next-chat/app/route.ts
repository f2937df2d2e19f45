/** Opens a new chat. Its first message creates it. */
export function GET(): Response {
  return new Response(null, { status: 307, headers: { location: `/${crypto.randomUUID()}` } });
}
