/** The media type of pages. */
export const pageType = 'text/html; charset=utf-8';
