/**
 * Where tests let the process die. With KONTOR_FAILPOINT=`name` the process kills itself the first time it passes that
 * point, with `name:3` the third time; KONTOR_FAILPOINT_SUBJECT narrows it to one subject. Without them nothing happens.
 */
const [wantedName, wantedCount] = (process.env['KONTOR_FAILPOINT'] ?? '').split(':')
const wantedSubject = process.env['KONTOR_FAILPOINT_SUBJECT']
let passed = 0

export async function failpoint(name: string, subject?: string): Promise<void> {
  if (wantedName === undefined || wantedName === '' || name !== wantedName || (wantedSubject !== undefined && wantedSubject !== subject)) return
  passed += 1
  if (passed !== Number(wantedCount ?? 1)) return
  process.kill(process.pid, 'SIGKILL')
  // The signal ends the process; nothing after this point may run.
  await new Promise(() => undefined)
}

/** Runs one step between two failpoints, `name.before` and `name.after`. */
export async function stepped<T>(name: string, subject: string, work: () => Promise<T>): Promise<T> {
  await failpoint(`${name}.before`, subject)
  const result = await work()
  await failpoint(`${name}.after`, subject)
  return result
}
