/** What happens to a house, chosen at random. Each storm ends by itself and leaves no fault set. */
import { setTimeout as pause } from 'node:timers/promises'
import { mustExist } from '../../../server/src/core/assert.ts'
import type { FaultKind } from '../../../server/src/venues/sandbox-process.testing.ts'
import type { Dice } from '../dice.ts'
import { PACE } from '../faults/furniture.ts'
import { SEND } from '../faults/transfers.ts'
import type { VenueKey } from '../faults/world-configuration.ts'
import type { House } from './house.ts'

type Storm = {
  name: string
  /** How often it comes, beside the others. */
  weight: number
  /** Over within some seconds, with all that it leaves behind. */
  quick: boolean
  /** What it does, in words, so that a failure can be read. */
  blow(house: House, dice: Dice): Promise<string>
}

/** Operations that move money, beside those that send a transfer. */
const ORDERS: Readonly<Partial<Record<VenueKey, string>>> = {
  kraken: 'AddOrder',
  bitstamp: 'order',
  okx: 'order',
}
const FAULTY: readonly VenueKey[] = ['fireblocks', 'kraken', 'bitstamp', 'okx', 'managed', 'bank']
const KINDS: readonly FaultKind[] = ['TIMEOUT_AFTER_ACCEPT', 'DOWN', 'LATE', 'REFUSE', 'TWICE']
/** Later than an answer is waited for. */
const LATE_MILLISECONDS = 3_000
/** Less than what is allowed, more than that, an hour and a day. */
const JUMPS_MILLISECONDS = [1_000, 4_000, 20_000, 3_600_000, 86_400_000]
/** Below what money moves with. */
const FEW_MEGABYTES = 100
/** Between two storms, at least and at most. */
const CALM_MILLISECONDS = [500, 4_000] as const

const killOne = (name: string, weight: number): Storm => ({
  name: `kill ${name}`,
  weight,
  quick: true,
  async blow({ residents }) {
    const resident = mustExist(
      residents.find((one) => one.name === name),
      name,
    )
    if (resident.kill()) return ''
    // It has just ended by itself.
    await resident.ready()
    resident.kill()
    return 'when it had started again'
  },
})

const KILL_THE_DATABASE: Storm = {
  name: 'kill the database',
  weight: 2,
  quick: true,
  async blow({ database }) {
    await database.kill()
    return ''
  },
}

/** Each process dies once, whatever else happens. */
const KILLS: readonly Storm[] = [
  killOne('api 1', 2),
  killOne('api 2', 2),
  killOne('worker 1', 3),
  killOne('worker 2', 3),
  KILL_THE_DATABASE,
]

export const STORMS: readonly Storm[] = [
  ...KILLS,
  {
    name: 'kill all processes of the service',
    weight: 1,
    quick: true,
    async blow({ residents }) {
      for (const resident of residents) resident.kill()
      return ''
    },
  },
  {
    name: 'kill a backend of the database',
    weight: 2,
    quick: true,
    async blow({ database }, dice) {
      database.killBackend(dice.roll())
      return ''
    },
  },
  {
    name: 'the database hangs',
    weight: 2,
    quick: true,
    async blow({ database }, dice) {
      const silent = dice.between(1_000, 8_000)
      database.freeze()
      await pause(silent)
      database.thaw()
      return `for ${silent} ms`
    },
  },
  {
    name: 'connections to the database are cut',
    weight: 3,
    quick: true,
    async blow({ residents }, dice) {
      const cut = residents.filter(() => dice.roll() < 0.5)
      for (const { line } of cut) line.cut()
      return cut.map(({ name }) => name).join(', ')
    },
  },
  {
    name: 'a connection to the database falls silent',
    weight: 2,
    quick: true,
    async blow({ residents }, dice) {
      const { name, line } = dice.pick(residents)
      const silent = dice.between(1_000, 8_000)
      line.silence()
      await pause(silent)
      line.speak()
      return `${name} for ${silent} ms`
    },
  },
  {
    name: 'a clock jumps',
    weight: 4,
    quick: true,
    async blow({ residents }, dice) {
      const resident = dice.pick(residents)
      const ahead_ms = dice.pick([-1, 1]) * dice.pick(JUMPS_MILLISECONDS)
      const wrong = dice.between(1_000, 8_000)
      resident.pretend({ ahead_ms })
      await pause(wrong)
      resident.pretend({})
      return `${resident.name} by ${ahead_ms} ms for ${wrong} ms`
    },
  },
  {
    name: 'the disk is nearly full',
    weight: 1,
    quick: false,
    async blow({ residents }, dice) {
      const full = dice.between(12_000, 20_000)
      for (const resident of residents) resident.pretend({ free_mb: FEW_MEGABYTES })
      await pause(full)
      for (const resident of residents) resident.pretend({})
      return `for ${full} ms`
    },
  },
  {
    name: 'kill the sandbox',
    weight: 2,
    quick: true,
    async blow(house, dice) {
      const away = dice.between(0, 3_000)
      await house.killSandbox(away)
      return `away for ${away} ms`
    },
  },
  {
    name: 'a venue misbehaves',
    weight: 4,
    quick: true,
    async blow({ sandbox }, dice) {
      const venue = dice.pick(FAULTY)
      const send = SEND[venue]
      const operation = dice.pick([send, ORDERS[venue] ?? send])
      const kind = dice.pick(KINDS)
      const remaining = dice.between(1, 3)
      const late = kind === 'LATE' ? { delay_ms: LATE_MILLISECONDS * PACE } : {}
      await sandbox.fault(venue, operation, kind, { remaining, ...late })
      return `${venue} ${operation}: ${kind}, ${remaining} times`
    },
  },
]

type Season = { storms: readonly Storm[]; until: number; counts: Map<string, number> }

/** For a short run: every process dies once, in any order; then whatever passes quickly. */
export async function rageQuickly(
  house: House,
  dice: Dice,
  season: Omit<Season, 'storms'>,
): Promise<void> {
  const order = KILLS.map((storm) => ({ storm, at: dice.roll() })).toSorted((a, b) => a.at - b.at)
  for (const { storm } of order) await blow(house, dice, storm, season.counts)
  await rage(house, dice, { ...season, storms: STORMS.filter(({ quick }) => quick) })
}

/** Storms until `until`, one after the other, with some quiet in between. */
export async function rage(
  house: House,
  dice: Dice,
  { storms, until, counts }: Season,
): Promise<void> {
  const cards = storms.flatMap((storm) => Array.from({ length: storm.weight }, () => storm))
  while (Date.now() < until) await blow(house, dice, dice.pick(cards), counts)
}

async function blow(
  house: House,
  dice: Dice,
  storm: Storm,
  counts: Map<string, number>,
): Promise<void> {
  await pause(dice.between(...CALM_MILLISECONDS))
  house.say(`STORM ${storm.name}`)
  const detail = await storm.blow(house, dice)
  if (detail !== '') house.say(`STORM ${storm.name}: ${detail}`)
  counts.set(storm.name, (counts.get(storm.name) ?? 0) + 1)
}
