import { href, navigate, route } from '../shell/router.ts';
import { errorText } from '../ui/error-note.tsx';
import { toast } from '../ui/toast.tsx';
import { api } from './api.ts';
import { forget, remember } from './frame-list.ts';

/** Drops a name and offers to undo it: the server keeps dropped frames for a while, so nobody has to be asked first. */
export async function dropFrame(name: string): Promise<void> {
  try {
    await api.frames.drop(name);
  } catch (error) {
    const { text, hint } = errorText(error);
    toast({ kind: 'error', text, ...(hint === null ? {} : { detail: hint }) });
    return;
  }
  forget(name);
  if (route.peek().screen === 'frame') navigate(href('frames'));
  toast({
    kind: 'ok',
    text: `${name} was dropped.`,
    action: { label: 'Undo', run: () => void undrop(name) },
  });
}

async function undrop(name: string): Promise<void> {
  try {
    remember(await api.frames.undrop(name));
    toast({ kind: 'ok', text: `${name} is back.` });
  } catch (error) {
    const { text, hint } = errorText(error);
    toast({ kind: 'error', text, ...(hint === null ? {} : { detail: hint }) });
  }
}
