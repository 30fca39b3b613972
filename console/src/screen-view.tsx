import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Route } from './route.ts';
import { href } from './router.ts';
import { type ScreenProps, screens } from './screens.ts';
import { EmptyState } from './ui/empty-state.tsx';
import { ErrorNote } from './ui/error-note.tsx';
import { Loading } from './ui/spinner.tsx';

/** The screen of a route, loaded when it is first needed. */
export function ScreenView({ route }: { readonly route: Route }) {
  const screen = screens[route.screen];
  useEffect(() => {
    const subject = route.handle ?? screen?.title ?? 'Not found';
    document.title = `${subject} · Framehold`;
  }, [route.handle, screen]);
  if (screen === undefined)
    return (
      <EmptyState icon="search" title="There is no such page">
        <p class="muted">The address may be from another version of the console.</p>
        <a href={href('frames')}>All frames</a>
      </EmptyState>
    );
  return (
    // Another handle is another screen: nothing of the previous one is kept.
    <ErrorBoundary key={`${route.screen} ${route.handle ?? ''}`}>
      <LoadedScreen screen={route.screen} route={route} />
    </ErrorBoundary>
  );
}

const loaded = new Map<string, ComponentType<ScreenProps>>();

function LoadedScreen({ screen, route }: { readonly screen: string; readonly route: Route }) {
  const [, redraw] = useState(0);
  const [failure, setFailure] = useState<unknown>(null);
  const View = loaded.get(screen);
  useEffect(() => {
    if (loaded.has(screen)) return;
    let shown = true;
    screens[screen]
      ?.load()
      .then((component) => {
        loaded.set(screen, component);
        if (shown) redraw((count) => count + 1);
      })
      .catch((error) => {
        if (shown) setFailure(error);
      });
    return () => {
      shown = false;
    };
  }, [screen]);
  if (failure !== null) return <ErrorNote error={failure} retry={() => location.reload()} />;
  return View === undefined ? <Loading /> : <View route={route} />;
}

/** A mistake in one screen must not take the others with it. */
class ErrorBoundary extends Component<{ readonly children: ComponentChildren }, { readonly error: unknown }> {
  override state = { error: null };

  override componentDidCatch(error: unknown): void {
    this.setState({ error });
    // For whoever reports it.
    console.error(error);
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return <ErrorNote error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}
