/**
 * Named points in the way of the work, where a test may stop the process. Production passes them:
 * nothing here reads the environment or ends anything. A test starts the service with `--import` of
 * `failpoints.testing.mjs`, which says what happens at a point.
 */
type AtFailpoint = (name: string, subject: string | undefined) => Promise<void>

/** Set before the program is loaded, so it is a global. */
declare global {
  var kontorAtFailpoint: AtFailpoint | undefined
}

const atFailpoint = globalThis.kontorAtFailpoint

export async function failpoint(name: string, subject?: string): Promise<void> {
  if (atFailpoint !== undefined) await atFailpoint(name, subject)
}

/** Runs one step between two failpoints, `name.before` and `name.after`. */
export async function withFailpoints<T>(
  name: string,
  subject: string,
  work: () => Promise<T>,
): Promise<T> {
  await failpoint(`${name}.before`, subject)
  const result = await work()
  await failpoint(`${name}.after`, subject)
  return result
}
