/**
 * A restore in the middle of it all, as a person does it: from a backup that was taken under load,
 * up to the last moment of the archived log. So nothing that was acknowledged may be lost, and what
 * was sent may not be sent again.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { mustExist } from '../../../server/src/core/assert.ts'
import type { House } from './house.ts'

const TRIES = 10
const AGAIN_MILLISECONDS = 2_000

/** Answers its folder. A backup whose database is killed meanwhile is taken again. */
export async function backUp(house: House): Promise<string> {
  const out = await repeated(house, 'backup', '--to', join(house.dir, 'backups'))
  const path = mustExist(/^(.+): \d+ bytes/m.exec(out)?.[1], `a folder in ${out}`)
  house.say(`backed up: ${path}`)
  return path
}

export async function restore(house: House, backup: string): Promise<void> {
  house.say('RESTORE everything is stopped')
  await house.stopAll()
  await house.database.stop()
  const { code, out } = await house.command('restore', backup, '--until', 'latest')
  house.say(`RESTORE ended with ${code}: ${out.trim()}`)
  await house.database.start()
  await house.startAll()
  if (code !== 0) throw new Error(`npm run restore ended with ${code}: ${out}`)
  house.say(`RESTORE walked: ${(await repeated(house, 'after-restore', '--yes')).trim()}`)
}

/** What it said. */
async function repeated(house: House, ...words: string[]): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const { code, out } = await house.command(...words)
    if (code === 0) return out
    house.say(`npm run ${words[0]} ended with ${code}: ${out.trim()}`)
    if (attempt === TRIES) throw new Error(`npm run ${words[0]} ended with ${code}: ${out}`)
    await pause(AGAIN_MILLISECONDS)
  }
}
