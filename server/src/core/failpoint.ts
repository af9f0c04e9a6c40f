/**
 * Where tests let the process die. With KONTOR_FAILPOINT=`name` the process kills itself the first time it passes that
 * point, with `name:3` the third time; KONTOR_FAILPOINT_SUBJECT narrows it to one subject. KONTOR_FAILPOINTS names a folder
 * for many at once, over many processes: see `passFolder`. Without them nothing happens.
 */
import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [wantedName, wantedCount] = (process.env['KONTOR_FAILPOINT'] ?? '').split(':')
const wantedSubject = process.env['KONTOR_FAILPOINT_SUBJECT']
const folder = process.env['KONTOR_FAILPOINTS'] ?? ''
const LOOK_AGAIN_MILLISECONDS = 20
let passed = 0

export async function failpoint(name: string, subject?: string): Promise<void> {
  if (folder !== '') await passFolder(name, subject)
  if (
    wantedName === undefined ||
    wantedName === '' ||
    name !== wantedName ||
    (wantedSubject !== undefined && wantedSubject !== subject)
  )
    return
  passed += 1
  if (passed !== Number(wantedCount ?? 1)) return
  await die()
}

async function die(): Promise<void> {
  process.kill(process.pid, 'SIGKILL')
  // The signal ends the process; nothing after this point may run.
  await new Promise(() => undefined)
}

/**
 * While the folder holds a file `wait` nobody passes. Who finds the file `name subject` or `name` there takes it away and dies: one
 * death for each file. Where the file holds a number, that is the passage at which it happens.
 */
async function passFolder(name: string, subject: string | undefined): Promise<void> {
  while (existsSync(join(folder, 'wait')))
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_AGAIN_MILLISECONDS)
    })
  for (const file of [`${name} ${subject}`, name]) {
    if (existsSync(join(folder, file)) && taken(join(folder, file))) await die()
  }
}

function taken(file: string): boolean {
  try {
    const passage = Number(readFileSync(file, 'utf8'))
    if (passage > 1) {
      writeFileSync(file, String(passage - 1))
      return false
    }
    unlinkSync(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return false // another process was faster
  }
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
