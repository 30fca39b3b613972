import type { ScreenProps } from '../../screens.ts';

export function QueryScreen({ route }: ScreenProps) {
  return <h1>Query {route.handle}</h1>;
}
