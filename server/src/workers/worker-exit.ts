import { FrameholdError } from '../model/errors.ts';

/** Why a worker is gone before its job was done. */
export type ExitReason =
  /** Its job worked for longer than it may. */
  | 'time'
  /** It needed more memory than it may. */
  | 'memory'
  /** A thread that several jobs share did not answer. */
  | 'stuck'
  /** Its job gave nothing for too long, although its thread did answer. */
  | 'stalled'
  /** It ended by itself. */
  | 'died';

/** What a job sees whose worker is gone, through its own fault or that of another job in the same thread. */
export class WorkerExit extends FrameholdError {
  readonly reason: ExitReason;

  constructor(reason: ExitReason, cause?: unknown) {
    super('internal', lossTexts[reason], { cause });
    this.reason = reason;
  }
}

const lossTexts: Readonly<Record<ExitReason, string>> = {
  time: 'The worker that did this took too long and was ended.',
  memory: 'The worker that did this needed too much memory and was ended.',
  stuck: 'The worker that did this did not answer and was ended.',
  stalled: 'The job made no progress for too long and was stopped.',
  died: 'The worker that did this has died.',
};
