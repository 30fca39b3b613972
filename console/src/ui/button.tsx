import type { ComponentChildren, JSX, Ref } from 'preact';
import { Icon, type IconName } from './icon.tsx';

type ButtonAttributes = Omit<JSX.IntrinsicElements['button'], 'icon' | 'ref'>;

export interface ButtonProps extends ButtonAttributes {
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly icon?: IconName;
  readonly children?: ComponentChildren;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = 'plain', icon, children, class: extra, ...rest }: ButtonProps) {
  return (
    <button type="button" class={`button button-${kind} ${extra ?? ''}`} {...rest}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends ButtonAttributes {
  readonly icon: IconName;
  /** Its name for screen readers, and what the pointer shows. */
  readonly label: string;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon, label, class: extra, ...rest }: IconButtonProps) {
  return (
    <button type="button" class={`icon-button ${extra ?? ''}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}

export interface ButtonLinkProps {
  readonly href: string;
  readonly kind?: 'plain' | 'primary' | 'quiet';
  readonly icon?: IconName;
  readonly download?: string;
  readonly children?: ComponentChildren;
}

/** A link that looks like a button: it leads somewhere. */
export function ButtonLink({ href, kind = 'plain', icon, download, children }: ButtonLinkProps) {
  return (
    <a class={`button button-${kind}`} href={href} {...(download === undefined ? {} : { download })}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </a>
  );
}
