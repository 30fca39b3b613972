const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** `12.3 MB`: units of a thousand, as disks have them. */
export function byteText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${unit === 0 || value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} ${units[unit]}`;
}

/** `1,234,567` */
export function countText(count: number): string {
  return count.toLocaleString('en-US');
}

export function rowsText(rows: number): string {
  return rows === 1 ? '1 row' : `${countText(rows)} rows`;
}

/** `0:05`, `12:34`, `1:02:03` */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const pad = (value: number) => `${value}`.padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}

/** `2026-02-28 12:30:00`, in the zone of this machine. */
export function timeText(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const pad = (value: number) => `${value}`.padStart(2, '0');
  const day = `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;
  return `${day} ${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}`;
}
