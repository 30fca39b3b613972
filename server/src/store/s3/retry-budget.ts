/** How many repetitions of failed requests a thread has in store: enough for a hundred, as the AWS clients have it. */
const budgetMax = 500;
const repetitionCost = 5;
const successGain = 1;

/**
 * Repeating helps against single faults and makes an outage worse: every repetition costs, and a success gives back what its own repetitions
 * cost, or a little. When nothing succeeds any more, each request is sent once.
 */
export class RetryBudget {
  #left = budgetMax;

  /** Whether a request may be repeated once more. */
  spend(): boolean {
    if (this.#left < repetitionCost) return false;
    this.#left -= repetitionCost;
    return true;
  }

  succeeded(repetitions: number): void {
    const gain = Math.max(successGain, repetitions * repetitionCost);
    this.#left = Math.min(budgetMax, this.#left + gain);
  }
}
