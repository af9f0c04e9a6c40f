/** How often something was seen, by kind; as pairs, which go from process to process as JSON. */
export type Counts = readonly (readonly [kind: string, count: number])[]

/** In the order of the kinds. */
export const sumOf = (...all: readonly Iterable<readonly [string, number]>[]): Counts =>
  Array.from(
    Map.groupBy(
      all.flatMap((counts) => [...counts]),
      ([kind]) => kind,
    ),
    ([kind, counts]) => [kind, counts.reduce((sum, [, count]) => sum + count, 0)] as const,
  ).toSorted(([one], [other]) => (one < other ? -1 : 1))

export const shownCounts = (counts: Counts): string =>
  counts.map(([kind, count]) => `${count} × ${kind}`).join(', ') || 'none'
