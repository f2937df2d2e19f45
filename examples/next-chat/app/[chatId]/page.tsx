import { Session } from './session';

export default async function Page({ params }: { params: Promise<{ chatId: string }> }) {
  return <Session chatId={(await params).chatId} />;
}
