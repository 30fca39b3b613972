import type { ScreenProps } from '../../screens.ts';

export function FramesScreen({ route }: ScreenProps) {
  return <h1>Frames {route.handle}</h1>;
}
