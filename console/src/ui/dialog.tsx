import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from './button.tsx';

export interface DialogProps {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons at its end. */
  readonly footer?: ComponentChildren;
  readonly size?: 'small' | 'medium' | 'large';
  /** Called by Enter in a field, and by a button of type `submit`. */
  readonly onSubmit?: () => void;
}

/** A modal dialog: the browser keeps the focus inside and gives it back. Escape closes it. */
export function Dialog({ title, onClose, children, footer, size = 'medium', onSubmit }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const content = (
    <>
      <header class="dialog-header">
        <h2 id={heading}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <div class="dialog-body">{children}</div>
      {footer !== undefined && <footer class="dialog-footer">{footer}</footer>}
    </>
  );
  return (
    <dialog
      ref={element}
      class={`dialog dialog-${size}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        // A picker inside it sends `cancel` too.
        if (event.target !== element.current) return;
        event.preventDefault();
        onClose();
      }}
    >
      {onSubmit === undefined ? (
        <div class="dialog-content">{content}</div>
      ) : (
        <form
          class="dialog-content"
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {content}
        </form>
      )}
    </dialog>
  );
}
