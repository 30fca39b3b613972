/**
 * One colour for each series, in this order. Each has a contrast of 3:1 or more against the surface of its theme, and neighbours differ in
 * lightness too, for people who do not see all colours.
 */
export const lightColors = [
  '#0f7a78',
  '#b4530a',
  '#5b3a9e',
  '#c02a6b',
  '#1d62b8',
  '#5f6b00',
  '#8a2be2',
  '#46525a',
] as const;
export const darkColors = [
  '#5fc6bd',
  '#f5a45c',
  '#b9a2f5',
  '#f58ab4',
  '#7db8f7',
  '#c9d65b',
  '#dd9bf0',
  '#b3c0c8',
] as const;

export function seriesColors(isDark: boolean): readonly string[] {
  return isDark ? darkColors : lightColors;
}
