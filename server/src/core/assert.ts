/** For our own mistakes only; what a caller can cause is an ApiError. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

/** The value, which our own code guarantees to be there. */
export function mustExist<T>(value: T | undefined | null, message: string): T {
  assert(value !== undefined && value !== null, message)
  return value
}
