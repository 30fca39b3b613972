import type { ScreenProps } from '../../screens.ts';

export function UploadScreen({ route }: ScreenProps) {
  return <h1>Upload {route.handle}</h1>;
}
