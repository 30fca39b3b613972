import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** What is shown where there is nothing yet: what could be here, and what to do. */
export function EmptyState({
  icon,
  title,
  children,
}: {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      {icon !== undefined && <Icon name={icon} size={28} />}
      <h2>{title}</h2>
      {children}
    </div>
  );
}
