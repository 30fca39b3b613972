import type { Flag } from '../command.ts';

/** Of every command that talks to a server. */
export const connectionFlags: readonly Flag[] = [
  {
    name: 'url',
    value: 'URL',
    doc: 'the server; else FRAMEHOLD_URL, else the profile, else http://127.0.0.1:9000',
  },
  { name: 'profile', value: 'NAME', doc: 'a profile that framehold login saved; else FRAMEHOLD_PROFILE' },
  {
    name: 'token-file',
    value: 'FILE',
    doc: 'a file with the token; else FRAMEHOLD_TOKEN, else that of the profile',
  },
  { name: 'ca', value: 'FILE', doc: 'certificates (PEM) to trust in addition to those of the system' },
];
