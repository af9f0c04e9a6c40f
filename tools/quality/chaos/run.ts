/** One run: flows and storms for a while, then healing, and the judgement of the checker. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Dice } from '../dice.ts'
import { Refusal, RepeatingClient } from '../faults/client.ts'
import { furnish } from '../faults/furniture.ts'
import type { Ground } from '../faults/furniture.ts'
import { Opened } from '../faults/opened.ts'
import { wrongIn } from './checker.ts'
import type { Before, Evidence } from './evidence.ts'
import type { Desk } from './flow.ts'
import { FLOWS } from './flows.ts'
import { eventsWrong, followEvents } from './followers.ts'
import type { Follower } from './followers.ts'
import { House } from './house.ts'
import { readInside, sequencesOf, tidyUp } from './inside.ts'
import { Journal } from './journal.ts'
import { readOutside } from './outside.ts'
import { backUp, restore } from './restore.ts'
import { settled } from './settled.ts'
import { rage, rageQuickly, STORMS } from './storms.ts'

const CALLERS = 4
/** As long as a run must be for what takes its time. */
const LONG_MILLISECONDS = 150_000

type Options = {
  seed: number
  milliseconds: number
  /** Beside the log in the folder of the run. */
  show(line: string): void
}

type Verdict = {
  wrong: string[]
  effects: number
  flows: Map<string, number>
  storms: Map<string, number>
  /** How often each process, and the database, was seen to die of a kill. */
  deaths: Map<string, number>
  refusals: string[]
  events: number
  /** What was judged last. */
  evidence: Evidence
  /** Kept when something is wrong. */
  dir: string
}
type Judgement = Pick<Verdict, 'wrong' | 'events' | 'evidence'>

export async function runChaos({ seed, milliseconds, show }: Options): Promise<Verdict> {
  const dir = await mkdtemp(join(tmpdir(), 'chaos-'))
  const opened = new Opened()
  const log = createWriteStream(join(dir, 'run.log'))
  const began = Date.now()
  const say = (words: string): void => {
    const line = `${((Date.now() - began) / 1000).toFixed(1).padStart(7)} ${words}`
    log.write(`${line}\n`)
    show(line)
  }
  let isRight = false
  try {
    const verdict = await new Run({ dir, opened, say, seed }).through(milliseconds)
    isRight = verdict.wrong.length === 0
    return verdict
  } catch (error) {
    say(`WRONG ${error instanceof Error ? error.stack : String(error)}`)
    throw new Error(`seed ${seed}: ${String(error)}; everything is in ${dir}`, { cause: error })
  } finally {
    await opened.close()
    log.end()
    if (isRight) await rm(dir, { recursive: true, force: true })
  }
}

type Scene = { ground: Ground; followers: readonly Follower[]; before: Before }
type Place = { dir: string; opened: Opened; say(words: string): void; seed: number }

class Run {
  readonly #place: Place
  readonly #journal = new Journal()
  readonly #flows = new Map<string, number>()
  /** What no client expects. */
  readonly #broken: string[] = []

  constructor(place: Place) {
    this.#place = place
  }

  async through(milliseconds: number): Promise<Verdict> {
    const { dir, opened, say } = this.#place
    const house = await House.open(dir, opened, say)
    let wrong: string[] | undefined
    try {
      const scene = await this.#furnish(house)
      const storms = await this.#storm(house, scene, milliseconds)
      const deaths = house.deaths()
      const judgement = await this.#judge(house, scene)
      wrong = judgement.wrong
      for (const reason of wrong) say(`WRONG ${reason}`)
      const { effects, refusals } = this.#journal
      return { ...judgement, effects, refusals, flows: this.#flows, storms, deaths, dir }
    } finally {
      if (wrong?.length !== 0) house.keepSandbox()
    }
  }

  async #furnish(house: House): Promise<Scene> {
    const login = await house.start()
    const client = new RepeatingClient(house.ports, login)
    const followers = house.ports.map((port) => followEvents(port, client))
    this.#place.opened.add(async () => {
      for (const follower of followers) follower.stop()
      client.leave()
    })
    const ground = await furnish(house.sandbox, client.call)
    for (const flow of FLOWS) await flow.prepare?.(ground)
    const inside = await readInside(ground)
    return {
      ground,
      followers,
      before: { inside, outside: await readOutside(house.sandbox, ground) },
    }
  }

  async #storm(
    house: House,
    { ground }: Scene,
    milliseconds: number,
  ): Promise<Map<string, number>> {
    const { say, seed } = this.#place
    const dice = new Dice(seed)
    const until = Date.now() + milliseconds
    say(`the house stands; flows and storms for ${Math.round(milliseconds / 1000)} s, seed ${seed}`)
    const calling = Array.from({ length: CALLERS }, () =>
      this.#call({ ground, journal: this.#journal, dice: dice.another() }, until),
    )
    const storms = await this.#weather({ house, ground }, dice.another(), milliseconds)
    say('the storm is over')
    await house.heal()
    await Promise.all(calling)
    return storms
  }

  /** Where there is time for it, with a restore half-way. */
  async #weather(
    { house, ground }: { house: House; ground: Ground },
    dice: Dice,
    milliseconds: number,
  ): Promise<Map<string, number>> {
    const began = Date.now()
    const counts = new Map<string, number>()
    const until = began + milliseconds
    if (milliseconds < LONG_MILLISECONDS) {
      await rageQuickly(house, dice, { until, counts })
      return counts
    }
    const blow = (part: number) =>
      rage(house, dice, { storms: STORMS, until: began + milliseconds * part, counts })
    await blow(1 / 4)
    const backup = await backUp(house)
    await blow(1 / 2)
    await house.heal()
    await restore(house, backup, ground)
    counts.set('a restore', 1)
    await blow(1)
    return counts
  }

  /** One caller, who does one thing after the other. */
  async #call(desk: Desk, until: number): Promise<void> {
    const { say } = this.#place
    while (Date.now() < until) {
      const flow = desk.dice.pick(FLOWS)
      say(`begins ${flow.name}`)
      try {
        const acknowledged = await flow.run(desk)
        say(`done ${flow.name}: ${acknowledged}`)
        this.#flows.set(flow.name, (this.#flows.get(flow.name) ?? 0) + 1)
      } catch (error) {
        say(`${flow.name}: ${String(error)}`)
        if (error instanceof Refusal)
          this.#journal.refuse(flow.name, error.codes.join() || error.message)
        else this.#broken.push(`${flow.name}: ${String(error)}`)
      }
      await pause(desk.dice.between(0, 600))
    }
  }

  async #judge(house: House, scene: Scene): Promise<Judgement> {
    const last = await settled(() => this.#look(house, scene))
    const { code, out } = await house.command('verify')
    const wrong = [...this.#broken, ...last.wrong]
    if (code !== 0) wrong.push(`npm run verify ended with ${code}: ${out}`)
    return { ...last, wrong }
  }

  async #look(house: House, { ground, before, followers }: Scene): Promise<Judgement> {
    await tidyUp(ground)
    const outside = await readOutside(house.sandbox, ground)
    const inside = await readInside(ground)
    const events = await sequencesOf(ground)
    const evidence = { journal: this.#journal, ground, before, inside, outside }
    const wrong = [...wrongIn(evidence), ...eventsWrong(events, followers)]
    this.#place.say(`${wrong.length} things are not as they must be ${wrong[0] ?? ''}`)
    return { wrong, events: events.length, evidence }
  }
}
