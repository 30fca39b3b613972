import { signal } from '@preact/signals';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icon.tsx';

export interface Toast {
  readonly text: string;
  readonly detail?: string;
  readonly kind?: 'info' | 'ok' | 'error';
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Default 6 s, or 12 s with an action or for an error: there must be time to read it and reach the button. */
  readonly durationMs?: number;
}

interface ShownToast extends Toast {
  readonly id: number;
}

/** More would cover the page; the oldest goes. */
const toastsMax = 4;
const shown = signal<readonly ShownToast[]>([]);
const timers = new Map<number, ReturnType<typeof setTimeout>>();
let lastId = 0;

/** Shows a short message; returns what removes it. */
export function toast(message: Toast): () => void {
  lastId += 1;
  const id = lastId;
  shown.value = [...shown.peek(), { ...message, id }].slice(-toastsMax);
  startTimer(id, message);
  return () => dismiss(id);
}

function startTimer(id: number, message: Toast): void {
  const patient = message.action !== undefined || message.kind === 'error';
  timers.set(
    id,
    setTimeout(() => dismiss(id), message.durationMs ?? (patient ? 12_000 : 6_000)),
  );
}

function stopTimer(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

function dismiss(id: number): void {
  stopTimer(id);
  shown.value = shown.peek().filter((each) => each.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map((each) => (
        <div
          key={each.id}
          class={`toast toast-${each.kind ?? 'info'}`}
          onPointerEnter={() => stopTimer(each.id)}
          onPointerLeave={() => startTimer(each.id, each)}
          onFocusIn={() => stopTimer(each.id)}
        >
          <Icon name={each.kind === 'error' ? 'warning' : each.kind === 'ok' ? 'check' : 'info'} />
          <div class="toast-text">
            <div>{each.text}</div>
            {each.detail !== undefined && <div class="muted">{each.detail}</div>}
          </div>
          {each.action !== undefined && (
            <Button
              kind="quiet"
              onClick={() => {
                dismiss(each.id);
                each.action?.run();
              }}
            >
              {each.action.label}
            </Button>
          )}
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(each.id)} />
        </div>
      ))}
    </div>
  );
}
