import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create } from '@bufbuild/protobuf';
import { ExecutePlanResponse_ExecutionProgressSchema as ProgressSchema } from '../../src/connect/gen/spark/connect/base_pb.js';
import { progressOf } from '../../src/connect/progress.ts';

test('progress is the share of the known tasks that are done', () => {
  const report = (...stages: (readonly [tasks: number, completed: number])[]) =>
    progressOf(
      create(ProgressSchema, {
        stages: stages.map(([tasks, completed]) => ({
          numTasks: BigInt(tasks),
          numCompletedTasks: BigInt(completed),
        })),
      }),
    );
  assert.equal(report(), 0);
  assert.equal(report([4, 1]), 0.25);
  assert.equal(report([4, 4]), 1);
  assert.equal(report([4, 4], [4, 0]), 0.5);
  // A task that ran twice counts twice at Spark.
  assert.equal(report([2, 3]), 1);
});
