/** Turns while something is awaited. It appears after 150 ms, so that quick answers do not flicker. */
export function Spinner({ label = 'Loading' }: { readonly label?: string }) {
  return <span class="spinner" role="progressbar" aria-label={label} />;
}

/** A spinner in the middle of what will be there. */
export function Loading({ label = 'Loading' }: { readonly label?: string }) {
  return (
    <div class="loading">
      <Spinner label={label} />
      <span class="muted">{label}…</span>
    </div>
  );
}
