import type { ReactNode } from 'react';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body style={{ fontFamily: 'sans-serif', maxWidth: '50rem', margin: '1rem auto' }}>{children}</body>
    </html>
  );
}
