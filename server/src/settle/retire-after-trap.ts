import { hasTrapped } from '../parquet/parquet-fault.ts';
import type { TaskContext } from '../workers/serve-tasks.ts';

/**
 * For every job that uses the Parquet library: after a trap no other job may begin in the thread or process, which has no library any more. It would be
 * refused for what this one did.
 */
export async function retireAfterTrap<Result>(
  { retire }: Pick<TaskContext, 'retire'>,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } finally {
    if (hasTrapped()) retire();
  }
}
