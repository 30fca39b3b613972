import { Dialog } from './ui/dialog.tsx';

export function Palette({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Jump to" onClose={onClose}>
      <p class="muted">Frames, queries and screens.</p>
    </Dialog>
  );
}
