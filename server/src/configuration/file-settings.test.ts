import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { normalSetting } from '../access/index.ts'
import type { Json } from '../core/json.ts'
import type { TestServer } from '../http/testing.ts'
import type { SettingRecord } from './settings.schema.ts'
import { BANK, SettingsWorld } from './settings.testing.ts'

type Step =
  | { hand: 'FILE'; says: number | null; overwrite: boolean }
  | { hand: 'PERSON'; puts: number; keeps: boolean }

const value = fc.integer({ min: 0, max: 2 })
const steps = fc.array(
  fc.oneof(
    fc.record({
      hand: fc.constant('FILE' as const),
      says: fc.option(value, { freq: 5 }),
      overwrite: fc.integer({ min: 0, max: 7 }).map((number) => number === 0),
    }),
    fc.record({ hand: fc.constant('PERSON' as const), puts: value, keeps: fc.boolean() }),
  ),
  { minLength: 3, maxLength: 12 },
)

/** The rule told by whose the value is, and not by comparing three of them. */
class Oracle {
  value = 0
  #owner: 'NOBODY' | 'FILE' | 'PERSON' = 'NOBODY'
  #said: number | undefined
  #decided = false
  named = false

  file(says: number | null, overwrite: boolean): void {
    this.named = says !== null
    if (says !== this.#said) this.#decided = false
    if (says === null) return
    this.#said = says
    if (this.value === says || overwrite || this.#owner !== 'PERSON') {
      this.#owner = 'FILE'
      this.value = says
      this.#decided = false
    }
  }

  person(puts: number, keeps: boolean): void {
    const changes = puts !== this.value
    this.value = puts
    if (puts === this.#said) this.#owner = 'FILE'
    else if (changes) this.#owner = 'PERSON'
    if (this.named) this.#decided = puts !== this.#said && (keeps || this.#decided)
  }

  get drift(): number | null {
    return this.named && this.value !== this.#said && !this.#decided ? (this.#said ?? null) : null
  }
}

/** A setting that a number stands for; `silent`: the file may say nothing of it. */
type Told = { key: string; values: readonly Json[]; silent: boolean; file(value: Json): object }
const bankWith = (options: object) => ({
  venues: [{ ...BANK, options: { ...BANK.options, ...options } }],
})
const SETTINGS: readonly Told[] = [
  {
    key: 'slippage',
    values: ['0.01', '0.02', '0.03'],
    silent: true,
    // Another form of the same number is no other value.
    file: (slippage) => ({ ...bankWith({}), settings: { slippage: `${String(slippage)}0` } }),
  },
  {
    key: 'calendar.bank',
    values: [['SUN', 'SAT'], ['SUN'], ['SUN', 'FRI']].map((weekend_days) => ({
      calendar: 'TARGET2',
      weekend_days,
      holidays: [],
      cut_off: null,
      time_zone: 'Europe/Berlin',
    })),
    silent: false,
    file: (told) =>
      bankWith({ weekend_days: (told as { weekend_days: string[] }).weekend_days.join(',') }),
  },
]

const PERMISSIONS = ['settings.read', 'settings.trading.write', 'settings.calendars.write']

/** The file's value as it was said, in its normal form. */
const shown = ({ file, record }: NonNullable<SettingRecord['drift']>) => ({
  file: normalSetting(file),
  record,
})

describe('the file and people, two hands on one setting', () => {
  let world: SettingsWorld
  let server: TestServer
  before(async () => {
    world = await SettingsWorld.open()
    server = await world.serve()
  })
  after(async () => {
    await server?.close()
    await world?.close()
  })

  let workspaces = 0
  async function walk({ key, values, silent, file }: Told, taken: readonly Step[]): Promise<void> {
    workspaces += 1
    const workspace = await world.newWorkspace(`walk ${workspaces}`)
    const token = world.caller(workspace, ...PERMISSIONS)
    const oracle = new Oracle()
    const first: Step = { hand: 'FILE', says: silent ? null : 0, overwrite: false }
    for (const step of [first, ...taken]) {
      if (step.hand === 'FILE') {
        const says = silent ? step.says : (step.says ?? 0)
        const said = says === null ? bankWith({}) : file(values[says] ?? null)
        await world.apply(workspace, said, step)
        oracle.file(says, step.overwrite)
      } else {
        const body = { value: values[step.puts], keep_against_file: step.keeps }
        assert.equal((await server.call('PUT', `/settings/${key}`, { token, body })).status, 200)
        oracle.person(step.puts, step.keeps)
      }
      const { data } = await server.call<SettingRecord>('GET', `/settings/${key}`, { token })
      const drift = oracle.drift === null ? null : values[oracle.drift]
      assert.deepEqual(
        { value: data.value, in_file: data.in_file, drift: data.drift && shown(data.drift) },
        {
          value: values[oracle.value],
          in_file: oracle.named,
          drift: drift && { file: drift, record: data.value },
        },
        JSON.stringify(step),
      )
      assert.equal(await world.needs(workspace), data.drift === null ? 0 : 1)
    }
  }

  for (const setting of SETTINGS)
    it(`the file never overwrites what somebody has changed since: ${setting.key}`, async () => {
      await fc.assert(
        fc.asyncProperty(steps, (taken) => walk(setting, taken)),
        { numRuns: 15 },
      )
    })
})
