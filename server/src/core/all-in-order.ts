/**
 * Waits for all of them. Of several that fail, the first in this order is told, whichever failed
 * first: `Promise.all` tells another one each time.
 */
export async function allInOrder<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(work)
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  })
}
