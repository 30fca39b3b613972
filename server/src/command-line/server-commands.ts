/** Those that read settings. */
export const settingCommands = [
  'server',
  'config',
  'verify',
  'token',
  'tenant',
  'backup',
  'restore',
  'migrate',
  'accept-restore',
] as const;

/** Commands of the server itself; the others are in frame-commands.ts. */
export const serverCommands = [...settingCommands, 'help', 'version'] as const;
