import type { Manifest, Expiry as NewExpiry } from '@framehold/client';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { api } from '../../server/api.ts';
import { Button } from '../../ui/button.tsx';
import { now } from '../../ui/clock.ts';
import { errorText } from '../../ui/error-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { timeText, untilText } from '../../ui/format.ts';
import { Popover } from '../../ui/popover.tsx';
import { toast } from '../../ui/toast.tsx';

const choices = [
  { label: '1 hour', ttl: '1h' },
  { label: '1 day', ttl: '1d' },
  { label: '7 days', ttl: '7d' },
  { label: '30 days', ttl: '30d' },
  { label: 'Never', ttl: null },
] as const;

/** When the name expires; a click changes it. */
export function Expiry({
  manifest,
  canChange,
}: {
  readonly manifest: Manifest;
  readonly canChange: boolean;
}) {
  const changed = useSignal<string | null | undefined>(undefined);
  const isOpen = useSignal(false);
  const own = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const button = useRef<HTMLButtonElement>(null);
  const expiresAt = changed.value === undefined ? manifest.expiresAt : changed.value;
  const text = expiresAt === null ? 'never' : untilText(expiresAt, now.value);
  const title = expiresAt === null ? 'The name stays until it is dropped' : timeText(expiresAt);
  if (!canChange) return <span title={title}>{text}</span>;
  const set = async (expiry: NewExpiry) => {
    try {
      changed.value = (await api.frames.setExpiry(manifest.name, expiry)).expiresAt;
      isOpen.value = false;
      toast({
        kind: 'ok',
        text:
          changed.value === null
            ? `${manifest.name} no longer expires.`
            : `${manifest.name} expires ${untilText(changed.value, Date.now())}.`,
      });
    } catch (error) {
      problem.value = errorText(error).text;
    }
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="text-button"
        title={title}
        aria-haspopup="dialog"
        aria-expanded={isOpen.value}
        onClick={() => {
          problem.value = undefined;
          isOpen.value = true;
        }}
      >
        {text}
      </button>
      {isOpen.value && (
        <Popover
          anchor={button.current}
          role="dialog"
          label="Expiry"
          class="expiry"
          onClose={() => {
            isOpen.value = false;
          }}
        >
          <p class="muted">All versions of {manifest.name} expire together, counted from now.</p>
          <div class="expiry-choices">
            {choices.map(({ label, ttl }) => (
              <Button key={label} onClick={() => void set({ ttl })}>
                {label}
              </Button>
            ))}
          </div>
          <form
            class="expiry-own"
            onSubmit={(event) => {
              event.preventDefault();
              if (own.value.trim() !== '') void set({ ttl: own.value.trim() });
            }}
          >
            <TextField
              label="Another time"
              placeholder="90s, 15m, 12h, 30d"
              value={own.value}
              {...(problem.value === undefined ? {} : { error: problem.value })}
              onText={(typed) => {
                own.value = typed;
                problem.value = undefined;
              }}
            />
            <Button type="submit" kind="primary">
              Set
            </Button>
          </form>
        </Popover>
      )}
    </>
  );
}
