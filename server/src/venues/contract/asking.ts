/** How a venue's list is asked for. */

/**
 * `signal`: the caller has gone. What has not been asked by then is not asked any more. `fresh`:
 * the venue is asked now; without it the answer may be what the venue has said a moment ago, where
 * nothing says that it is another now.
 */
export type Asking = { signal?: AbortSignal; fresh?: true }
