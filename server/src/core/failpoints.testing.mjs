/**
 * Loaded by tests with `--import`: lets the process die at a failpoint. Plain JavaScript, so that
 * any Node that a test starts can load it.
 *
 * With KONTOR_FAILPOINT=`name` it kills itself the first time it passes that point, with `name:3`
 * the third time. KONTOR_FAILPOINT_SUBJECT narrows it to one subject. KONTOR_FAILPOINTS names a
 * folder for many at once, over many processes: see `passFolder`.
 */
import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [wantedName, wantedCount] = (process.env['KONTOR_FAILPOINT'] ?? '').split(':')
const wantedSubject = process.env['KONTOR_FAILPOINT_SUBJECT']
const folder = process.env['KONTOR_FAILPOINTS'] ?? ''
const LOOK_AGAIN_MILLISECONDS = 20
let passed = 0

/**
 * @param {string} name
 * @param {string} [subject]
 */
globalThis.kontorAtFailpoint = async (name, subject) => {
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

async function die() {
  process.kill(process.pid, 'SIGKILL')
  // The signal ends the process; nothing after this point may run.
  await new Promise(() => undefined)
}

/**
 * While the folder holds a file `wait`, no process passes. A process that finds the file
 * `name subject` or `name` takes it away and dies: one death for each file. A number in the file is
 * the passage at which that happens.
 * @param {string} name
 * @param {string | undefined} subject
 */
async function passFolder(name, subject) {
  while (existsSync(join(folder, 'wait')))
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_AGAIN_MILLISECONDS)
    })
  for (const file of [`${name} ${subject}`, name]) {
    if (existsSync(join(folder, file)) && taken(join(folder, file))) await die()
  }
}

/** @param {string} file */
function taken(file) {
  try {
    const passage = Number(readFileSync(file, 'utf8'))
    if (passage > 1) {
      writeFileSync(file, String(passage - 1))
      return false
    }
    unlinkSync(file)
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    return false // another process was faster
  }
}
