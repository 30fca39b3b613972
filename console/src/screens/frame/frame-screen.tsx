import type { ScreenProps } from '../../screens.ts';

export function FrameScreen({ route }: ScreenProps) {
  return <h1>Frame {route.handle}</h1>;
}
