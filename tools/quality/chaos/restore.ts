/**
 * A restore in the middle of it all, as a person does it: from a backup that was taken under load,
 * up to the last moment of the archived log. So nothing that was acknowledged may be lost, and what
 * was sent may not be sent again.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { mustExist } from '../../../server/src/core/assert.ts'
import { SET_BACK } from '../../../server/src/store/history.ts'
import type { Ground } from '../faults/furniture.ts'
import { until } from '../faults/patience.ts'
import type { House } from './house.ts'

const TRIES = 10
const AGAIN_MILLISECONDS = 2_000
const NOTICED_MILLISECONDS = 60_000

/** Answers its folder. A backup whose database is killed meanwhile is taken again. */
export async function backUp(house: House): Promise<string> {
  const said = await repeated(house, 'backup', '--to', join(house.dir, 'backups'))
  const out = said.at(-1) ?? ''
  const path = mustExist(/^(.+): \d+ bytes/m.exec(out)?.[1], `a folder in ${out}`)
  house.say(`backed up: ${path}`)
  return path
}

export async function restore(house: House, backup: string, ground: Ground): Promise<void> {
  house.say('RESTORE everything is stopped')
  await house.stopAll()
  await house.database.stop()
  const { code, out } = await house.command('restore', backup, '--until', 'latest')
  house.say(`RESTORE ended with ${code}: ${out.trim()}`)
  await house.database.start()
  await house.startAll()
  if (code !== 0) throw new Error(`npm run restore ended with ${code}: ${out}`)
  const halts = await until('a halt for the restore', () => haltsFor(ground), NOTICED_MILLISECONDS)
  house.say(`RESTORE noticed: ${halts} halts`)
  const said = await repeated(house, 'after-restore', '--yes')
  house.say(`RESTORE walked: ${said.join('').trim()}`)
  if (haltsReleasedIn(said.join('')) === 0)
    throw new Error(`after-restore released no halt: the restore was not noticed. ${said.join('')}`)
}

/** How many the service itself has set; undefined while there is none. */
async function haltsFor({ call }: Ground): Promise<number | undefined> {
  const halts = await call<{ reason: string }[]>('GET', '/desk/halts?state=set')
  return halts.filter(({ reason }) => reason.startsWith(SET_BACK)).length || undefined
}

/** By what after-restore says; the first of two attempts may have released them all. */
export const haltsReleasedIn = (said: string): number =>
  [...said.matchAll(/^(\d+) halts released$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)

/** What each attempt said. */
async function repeated(house: House, ...words: string[]): Promise<string[]> {
  const said: string[] = []
  for (;;) {
    const { code, out } = await house.command(...words)
    said.push(out)
    if (code === 0) return said
    house.say(`npm run ${words[0]} ended with ${code}: ${out.trim()}`)
    if (said.length === TRIES) throw new Error(`npm run ${words[0]} ended with ${code}: ${out}`)
    await pause(AGAIN_MILLISECONDS)
  }
}
