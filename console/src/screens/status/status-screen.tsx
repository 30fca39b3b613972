import type { ScreenProps } from '../../screens.ts';

export function StatusScreen({ route }: ScreenProps) {
  return <h1>Status {route.handle}</h1>;
}
