import type { Call } from '../command.ts';
import { readProfiles, writeProfiles } from '../connection/profiles.ts';
import { UsageError } from '../usage-error.ts';

export async function run({ options, environment, output }: Call): Promise<number> {
  const { current, profiles } = readProfiles(environment);
  const name = options.text('profile') ?? current;
  if (!Object.hasOwn(profiles, name))
    throw new UsageError(
      `There is no profile ${JSON.stringify(name)}.`,
      `Profiles: ${Object.keys(profiles).join(', ') || 'none'}.`,
    );
  const { [name]: _removed, ...rest } = profiles;
  writeProfiles(environment, { current, profiles: rest });
  await output.line(`The profile ${name} is removed. framehold token revoke ends its token on the server.`);
  return 0;
}
