import type { Clock } from '../../model/clock.ts';
import type { IntegrityCatalog, QuarantinedObject } from '../../ports/catalog/integrity.ts';
import type { ObjectStore, VerifyOptions } from '../../ports/object-store.ts';
import type { Observe } from '../../ports/observation.ts';
import type { ObjectGuard } from '../objects/object-guard.ts';
import type { LeasedWork } from './leased-work.ts';
import { RepeatedJob } from './repeated-job.ts';

export interface DamageReviewDependencies {
  readonly catalog: Pick<IntegrityCatalog, 'quarantined' | 'removeDamaged'>;
  readonly store: Pick<ObjectStore, 'verify'>;
  readonly guard: Pick<ObjectGuard, 'report' | 'clear'>;
  readonly observe: Observe;
  readonly now: Clock;
}

export interface DamageReviewOptions {
  readonly bytesPerSecond: number;
  /** False on one disk: there the file is all that is left of the form, and an operator may know more about it than the server does. */
  readonly removes: boolean;
}

/** A fault on the way ends within minutes or hours, and somebody notices it. Until then nothing is removed because of it. */
export const keptMs = 24 * 3_600_000;
/** What is read is found sound by its readers. This is for the rest, and for forms that nobody reads because there is another one. */
const intervalMs = 15 * 60_000;
/** Objects for each page of the catalog. */
const pageObjects = 16;

/** Reads quarantined objects again: sound ones are given back to their parts, and damaged ones that nothing needs are removed after a day. */
export class DamageReview {
  readonly #job: RepeatedJob;

  constructor(
    dependencies: DamageReviewDependencies & { readonly leases: LeasedWork },
    options: DamageReviewOptions,
  ) {
    const { leases, observe } = dependencies;
    this.#job = new RepeatedJob(
      (signal) => leases.once('damage-review', () => reviewDamage(dependencies, options, signal)),
      intervalMs,
      (error) => observe({ event: 'background-failed', job: 'damage-review', error }),
    );
  }

  start(): void {
    this.#job.nudge();
  }

  close(): Promise<void> {
    return this.#job.close();
  }
}

/** One round. `unavailable` if the store does not answer: then nothing is known about the rest. */
export async function reviewDamage(
  dependencies: DamageReviewDependencies,
  { bytesPerSecond, removes }: DamageReviewOptions,
  signal: AbortSignal,
): Promise<void> {
  const { catalog, guard, observe, now } = dependencies;
  const options = { bytesPerSecond, signal };
  for (let last: string | null = null; ; ) {
    const page: readonly QuarantinedObject[] = await catalog.quarantined(last, pageObjects);
    last = page.at(-1)?.key ?? null;
    if (last === null) return;
    for (const object of page) {
      if (signal.aborted) return;
      const foundBefore = now() - keptMs;
      const isOld = object.foundAt <= foundBefore;
      const mayGo = removes && isOld && object.instead !== null;
      // What stays for good is left to the scrub: reading it every few minutes would change nothing.
      if (isOld && !mayGo) continue;
      if (!object.isReplaced && (await isSoundAgain(dependencies, object, options))) {
        await guard.clear(object.key);
        continue;
      }
      if (!mayGo || !(await areSound(dependencies, object.instead ?? [], options))) continue;
      const instead = (object.instead ?? []).map(({ key }) => key);
      if (await catalog.removeDamaged(object.key, instead, foundBefore, now()))
        observe({ event: 'damaged-removed', key: object.key });
    }
  }
}

async function isSoundAgain(
  { store, guard }: DamageReviewDependencies,
  object: QuarantinedObject,
  options: VerifyOptions,
): Promise<boolean> {
  const [fault] = await store.verify([object], options);
  if (fault !== undefined) await guard.report(fault);
  return fault === undefined;
}

/** From the store, now: what is read instead of a damaged form must not be damaged, too. */
async function areSound(
  { store, guard }: DamageReviewDependencies,
  objects: QuarantinedObject['instead'] & {},
  options: VerifyOptions,
): Promise<boolean> {
  const faults = await store.verify(objects, options);
  for (const fault of faults) await guard.report(fault);
  return faults.length === 0;
}
