import { frame, int32, packet } from '../../../pgwire/raw-client.ts';

const cancelCode = 80_877_102;

export function cancelPacket(key: Uint8Array): Buffer {
  return packet(cancelCode, key);
}

function int16(value: number): Buffer {
  return Buffer.of((value >> 8) & 0xff, value & 0xff);
}

export interface BindOptions {
  readonly portal?: string;
  readonly statement?: string;
  readonly formats?: readonly number[];
  readonly values?: readonly (Uint8Array | null)[];
  readonly resultFormats?: readonly number[];
}

export function bindValues({
  portal = '',
  statement = '',
  formats = [],
  values = [],
  resultFormats = [],
}: BindOptions): Buffer {
  return frame(
    'B',
    portal,
    statement,
    codes(formats),
    int16(values.length),
    ...values.flatMap((value) => (value === null ? [int32(-1)] : [int32(value.length), value])),
    codes(resultFormats),
  );
}

export function parseTyped(text: string, name: string, types: readonly number[]): Buffer {
  return frame('P', name, text, int16(types.length), ...types.map((oid) => int32(oid | 0)));
}

function codes(list: readonly number[]): Buffer {
  return Buffer.concat([int16(list.length), ...list.map(int16)]);
}
