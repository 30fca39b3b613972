const high32 = 4_294_967_296;

/**
 * Exact division of a 64-bit integer, given as two words, with the remainder from 0 up to the divisor. `quotient` and `remainder` are set on the
 * object, so that a column costs no allocation. The quotient must fit 2^53 and the divisor 2^30.
 */
export class Division {
  quotient = 0;
  remainder = 0;

  divide(low: number, high: number, divisor: number): void {
    // The double is off by one at most; the remainder's low 32 bits are exact and show it.
    let quotient = Math.floor((high * high32 + (low >>> 0)) / divisor);
    let remainder = (low - Math.imul(quotient | 0, divisor)) | 0;
    if (remainder < 0) {
      quotient -= 1;
      remainder += divisor;
    } else if (remainder >= divisor) {
      quotient += 1;
      remainder -= divisor;
    }
    this.quotient = quotient;
    this.remainder = remainder;
  }
}
