/** `left`: the reader. `slow`: it did not keep up. `credential`: revoked or expired. `stopped`: the server stops. */
export type StreamEnd = 'left' | 'slow' | 'credential' | 'stopped';
