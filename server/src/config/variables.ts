import { suggest } from '../base/nearest-name.ts';
import { variablesOf } from './setting-names.ts';
import { settingKeys } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** What Kubernetes puts into every pod for a service whose name begins with `framehold`. */
const serviceLink = /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
/** Of the commands for frames, which may be set for a whole session. */
const ofFrameCommands = ['FRAMEHOLD_URL', 'FRAMEHOLD_TOKEN', 'FRAMEHOLD_PROFILE'];
const serviceLinkValue = /^(tcp|udp|sctp):\/\//;

/**
 * A typing error in one of our variables must not be ignored. SERVICE_… names may belong to anyone, so only FRAMEHOLD_… ones are
 * looked at.
 */
export function refuseUnknownVariables(environment: Readonly<Record<string, string | undefined>>): void {
  const known = settingKeys.flatMap((key) => variablesOf(key).map(({ name }) => name));
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('FRAMEHOLD_') || !value || known.includes(name)) continue;
    if (ofFrameCommands.includes(name)) continue;
    if (serviceLink.test(name) || (name.endsWith('_PORT') && serviceLinkValue.test(value))) continue;
    const ours = known.filter((candidate) => candidate.startsWith('FRAMEHOLD_'));
    // Its value is not shown: a misspelt name may hold a secret.
    throw new UsageError(
      `The environment variable ${name} is not known.${suggest(name, ours)} Allowed: the names that framehold help lists.`,
    );
  }
}
