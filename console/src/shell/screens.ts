import type { ComponentType } from 'preact';
import type { ScreenProps } from './screen-props.ts';

export interface Screen {
  readonly title: string;
  /** Loaded when it is first opened: the first page stays small. */
  readonly load: () => Promise<ComponentType<ScreenProps>>;
}

export const screens: Readonly<Record<string, Screen>> = {
  frames: {
    title: 'Frames',
    load: async () => (await import('../screens/frames/frames-screen.tsx')).FramesScreen,
  },
  frame: {
    title: 'Frame',
    load: async () => (await import('../screens/frame/frame-screen.tsx')).FrameScreen,
  },
  query: {
    title: 'Query',
    load: async () => (await import('../screens/query/query-screen.tsx')).QueryScreen,
  },
  status: {
    title: 'Status',
    load: async () => (await import('../screens/status/status-screen.tsx')).StatusScreen,
  },
  upload: {
    title: 'Upload',
    load: async () => (await import('../screens/upload/upload-screen.tsx')).UploadScreen,
  },
};
