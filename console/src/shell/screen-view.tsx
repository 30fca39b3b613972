import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { lazy } from './lazy.tsx';
import type { Route } from './route.ts';
import { href } from './router.ts';
import type { ScreenProps } from './screen-props.ts';
import { screens } from './screens.ts';

const views: Readonly<Record<string, ComponentType<ScreenProps>>> = Object.fromEntries(
  Object.entries(screens).map(([name, { load }]) => [name, lazy(load)]),
);

/** The screen of a route, loaded when it is first needed. */
export function ScreenView({ route }: { readonly route: Route }) {
  const screen = screens[route.screen];
  useEffect(() => {
    const subject = route.handle ?? screen?.title ?? 'Not found';
    document.title = `${subject} · Framehold`;
  }, [route.handle, screen]);
  const View = views[route.screen];
  if (View === undefined)
    return (
      <EmptyState isPage icon="search" title="There is no such page">
        <p class="muted">The address may be from another version of the console.</p>
        <a href={href('frames')}>All frames</a>
      </EmptyState>
    );
  return (
    // Another handle is another screen: nothing of the previous one is kept.
    <ErrorBoundary key={`${route.screen} ${route.handle ?? ''}`}>
      <View route={route} />
    </ErrorBoundary>
  );
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
