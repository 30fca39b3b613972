/** The mark of Framehold: a table in a square. */
export function Mark({ size = 22 }: { readonly size?: number }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" class="mark-ground" />
      <path d="M8 9h16M8 16h16M8 23h16M14 9v14" class="mark-lines" />
    </svg>
  );
}
