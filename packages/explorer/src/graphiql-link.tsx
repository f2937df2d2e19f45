import { Braces } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { MenuLink } from './design/menu.js';
import type { QueriedPlace } from './requests/query-of.js';

/** The item of a menu that opens GraphiQL with the query of a place. Its code loads when the menu opens. */
export function GraphiqlLink({ place }: { place: QueriedPlace }): ReactNode {
  const [href, setHref] = useState<string | null>(null);
  useEffect(() => {
    import('./requests/query-of.js').then(
      ({ queryOf }) => setHref(queryOf(place)),
      // The menu works without its link.
      () => {},
    );
  }, [place]);
  if (href === null) return null;
  return (
    <MenuLink icon={Braces} href={href} target="_blank" rel="noopener">
      GraphiQL
    </MenuLink>
  );
}
