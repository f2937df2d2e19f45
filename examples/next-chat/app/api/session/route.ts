import { parleyToken, parleyUrl, sessionCookie, userOf } from '../../../lib/session';

const MAX_NAME_CHARACTERS = 100;

/** The user of the page, and the URL and token for Parley. */
export async function GET(request: Request): Promise<Response> {
  const userId = await userOf(request).catch(() => null);
  if (userId === null) return new Response(null, { status: 401 });
  return Response.json({ userId, url: parleyUrl, token: await parleyToken(userId) });
}

/** Signs in. The example accepts any name: check a password here, or the answer of your identity provider. */
export async function POST(request: Request): Promise<Response> {
  const name = (await request.formData()).get('name');
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_CHARACTERS) {
    return new Response(null, { status: 400 });
  }
  return new Response(null, { status: 204, headers: { 'set-cookie': await sessionCookie(name) } });
}

/** Signs out. */
export async function DELETE(): Promise<Response> {
  return new Response(null, { status: 204, headers: { 'set-cookie': await sessionCookie(null) } });
}
