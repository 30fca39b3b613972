import { useState } from 'preact/hooks';
import { Button, IconButton } from './button.tsx';
import { toast } from './toast.tsx';

/** Copies a text; a tick shows that it was done. */
export function CopyButton({
  text,
  label = 'Copy',
  wide = false,
}: {
  readonly text: string | (() => string);
  readonly label?: string;
  readonly wide?: boolean;
}) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    if (!(await copyText(typeof text === 'function' ? text() : text))) return;
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return wide ? (
    <Button icon={done ? 'check' : 'copy'} onClick={copy}>
      {done ? 'Copied' : label}
    </Button>
  ) : (
    <IconButton icon={done ? 'check' : 'copy'} label={done ? 'Copied' : label} onClick={copy} />
  );
}

export async function copyText(text: string): Promise<boolean> {
  try {
    // Absent over plain HTTP on another machine: browsers keep it for secure pages.
    if (navigator.clipboard !== undefined) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Not permitted: the older way may be.
  }
  if (copyBySelection(text)) return true;
  toast({
    kind: 'error',
    text: 'The browser does not allow copying here.',
    detail: 'Select the text and press Ctrl+C.',
  });
  return false;
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  const before = document.activeElement;
  // Outside an open dialog nothing can be focused.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}
