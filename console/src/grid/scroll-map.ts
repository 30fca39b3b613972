/**
 * Browsers limit the height of an element: Firefox to 17.9 million pixels, others to 33 million. A hundred million rows need 2.6
 * billion. Eight million is below all limits, also on a screen with two device pixels for each.
 */
const spacerPxMax = 8_000_000;

/**
 * Relates the place of the scroll bar to the place in the rows. Up to the limit they are the same. Above it, the bar covers all rows
 * in proportion, and small movements are made by pixels of rows.
 */
export class ScrollMap {
  readonly spacerPx: number;
  readonly #contentPx: number;
  readonly #viewportPx: number;

  constructor(contentPx: number, viewportPx: number) {
    this.#contentPx = Math.max(contentPx, viewportPx);
    this.#viewportPx = viewportPx;
    this.spacerPx = Math.min(this.#contentPx, Math.max(spacerPxMax, viewportPx));
  }

  /** Whether a pixel of the bar is more than a pixel of rows. */
  get isCompressed(): boolean {
    return this.#contentPx > this.spacerPx;
  }

  get topMax(): number {
    return this.#contentPx - this.#viewportPx;
  }

  clamp(top: number): number {
    return Math.min(Math.max(top, 0), this.topMax);
  }

  topAt(scrollTop: number): number {
    const scrollMax = this.spacerPx - this.#viewportPx;
    if (!this.isCompressed || scrollMax <= 0) return this.clamp(scrollTop);
    return this.clamp((scrollTop / scrollMax) * this.topMax);
  }

  scrollTopOf(top: number): number {
    if (!this.isCompressed || this.topMax <= 0) return this.clamp(top);
    return (this.clamp(top) / this.topMax) * (this.spacerPx - this.#viewportPx);
  }

  /**
   * The place in the rows after the bar has moved. A movement of less than a page comes from a finger or an arrow of the bar and
   * moves by pixels; dragging the thumb by one pixel is already thousands of rows.
   */
  topAfter(top: number, scrollTopBefore: number, scrollTop: number): number {
    const moved = scrollTop - scrollTopBefore;
    if (!this.isCompressed) return this.topAt(scrollTop);
    if (scrollTop <= 0) return 0;
    if (scrollTop >= this.spacerPx - this.#viewportPx - 1) return this.topMax;
    return Math.abs(moved) < this.#viewportPx ? this.clamp(top + moved) : this.topAt(scrollTop);
  }
}
