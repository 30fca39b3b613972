import { suggest } from '../../base/nearest-name.ts';
import { FrameholdError } from '../../model/errors.ts';
import {
  isLimitName,
  type LimitChanges,
  type LimitRules,
  limitNames,
} from '../../model/limits/tenant-limit-values.ts';

/** Limits as they were written: all are valid, or all are refused. */
export function parseLimits(given: Readonly<Record<string, unknown>>, rules: LimitRules): LimitChanges {
  const changes = Object.entries(given).map(([name, raw]) => {
    if (!isLimitName(name))
      throw new FrameholdError('bad_request', `There is no limit ${JSON.stringify(name.slice(0, 40))}.`, {
        hint: `Limits are ${limitNames.join(', ')}.${suggest(name.slice(0, 40), limitNames)}`,
      });
    if (raw === null) return [name, null] as const;
    const value = rules[name].parse(raw);
    if (value !== undefined) return [name, value] as const;
    const shown = (JSON.stringify(raw) ?? '').slice(0, 40);
    throw new FrameholdError(
      'bad_request',
      `${name}: ${shown} is not allowed; it must be ${rules[name].allowed}.`,
      {
        hint: 'null resets it to the limit of the server.',
      },
    );
  });
  if (changes.length === 0)
    throw new FrameholdError('bad_request', 'No limit is given.', {
      hint: 'For example {"limits": {"bytesMax": "10GB", "queriesMax": null}}.',
    });
  return Object.fromEntries(changes);
}
