import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** What is shown where there is nothing yet: what could be here, and what to do. */
export function EmptyState({
  icon,
  title,
  isPage = false,
  children,
}: {
  readonly icon?: IconName;
  readonly title: string;
  /** Whether there is nothing else on the page: then the title is its heading. */
  readonly isPage?: boolean;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      {icon !== undefined && <Icon name={icon} size={28} />}
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}
