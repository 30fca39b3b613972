import { Icon } from './icon.tsx';

/** An error as the server wrote it: what is wrong, and what to do. */
export function ErrorNote({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { text, hint } = errorText(error);
  return (
    <div class="note note-error" role="alert">
      <Icon name="warning" />
      <div>
        <div>{text}</div>
        {hint !== null && <div class="muted">{hint}</div>}
        {retry !== undefined && (
          <button type="button" class="text-button" onClick={retry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

export function errorText(error: unknown): { readonly text: string; readonly hint: string | null } {
  if (error instanceof Error) {
    const { detail, hint } = error as { readonly detail?: unknown; readonly hint?: unknown };
    return {
      text: typeof detail === 'string' && detail !== '' ? detail : error.message,
      hint: typeof hint === 'string' && hint !== '' ? hint : null,
    };
  }
  return { text: String(error), hint: null };
}

/** Whether it only says that the reader went elsewhere before the answer came. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
