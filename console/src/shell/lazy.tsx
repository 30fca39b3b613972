import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorNote } from '../ui/error-note.tsx';
import { Loading } from '../ui/spinner.tsx';

/** A component whose code is loaded when it is first shown: the first page stays small. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [, redraw] = useState(0);
    const [failure, setFailure] = useState<unknown>(null);
    useEffect(() => {
      if (loaded !== null) return;
      let isShown = true;
      load().then(
        (component) => {
          loaded = component;
          if (isShown) redraw((count) => count + 1);
        },
        (error) => {
          if (isShown) setFailure(error);
        },
      );
      return () => {
        isShown = false;
      };
    }, []);
    // After an update of the server, the old page asks for files that are gone: a reload gets the new ones.
    if (failure !== null) return <ErrorNote error={failure} retry={() => location.reload()} />;
    const View = loaded;
    return View === null ? <Loading /> : <View {...props} />;
  };
}
