import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DEFAULT_SETTINGS, settingsOf } from '../access/index.ts'
import type { Role } from '../access/index.ts'
import type { ApiError } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { refusalsOf } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { sql } from '../store/sql.ts'
import type { SettingRecord } from './settings.schema.ts'
import { BANK, SettingsWorld, WRITES } from './settings.testing.ts'

const CALENDAR = {
  calendar: 'TARGET2',
  weekend_days: ['SUN', 'SAT'],
  holidays: [],
  cut_off: null,
  time_zone: 'Europe/Berlin',
}

describe('settings over HTTP', () => {
  let world: SettingsWorld
  let server: TestServer
  let workspace: WorkspaceId
  let admin: string
  before(async () => {
    world = await SettingsWorld.open()
    server = await world.serve()
    workspace = await world.newWorkspace('ours')
    admin = world.caller(workspace, 'settings.read', ...Object.values(WRITES))
    await world.apply(workspace, { venues: [BANK], settings: { job_fee_share: '0.2' } })
  })
  after(async () => {
    await server?.close()
    await world?.close()
  })

  const get = (key: string, token = admin) =>
    server.call<SettingRecord>('GET', `/settings/${key}`, { token })
  const put = (key: string, body: unknown, token = admin, headers = {}) =>
    server.call<SettingRecord>('PUT', `/settings/${key}`, { token, body, headers })

  it('lists each setting with its default, its permission and what the file says', async () => {
    const { data } = await server.call<SettingRecord[]>('GET', '/settings', { token: admin })
    assert.deepEqual(
      Object.fromEntries(data.map(({ key, permission }) => [key, permission])),
      WRITES,
    )
    const byKey = new Map(data.map((setting) => [setting.key, setting]))
    const { value, default: usual, version, in_file, drift } = byKey.get('margins') ?? ({} as never)
    assert.deepEqual(
      { value, usual, version, in_file, drift },
      { value: DEFAULT_SETTINGS.margins, usual: value, version: 1, in_file: false, drift: null },
    )
    const share = byKey.get('job_fee_share')
    assert.deepEqual(
      [share?.value, share?.version, share?.hand, share?.changed_by, share?.file],
      ['0.2', 2, 'FILE', 'configuration', '0.2'],
    )
    const calendar = byKey.get('calendar.bank')
    assert.deepEqual(calendar?.value, { ...CALENDAR })
    assert.equal(calendar?.title, 'Calendar of House bank')
    for (const { key, example, value: now, unit, description } of data) {
      assert.notEqual(description, '', key)
      assert(unit === null || unit.length > 0, key)
      const kept = await put(key, { value: now })
      assert.deepEqual([kept.status, kept.data.version], [200, byKey.get(key)?.version], key)
      assert.notEqual(example, undefined, key)
    }
  })

  it('takes each example from who has the permission, and from nobody else', async () => {
    const { data } = await server.call<SettingRecord[]>('GET', '/settings', { token: admin })
    for (const { key, example, permission } of data) {
      const others = Object.values(WRITES).filter((name) => name !== permission)
      const wrong = world.caller(workspace, 'settings.read', ...others)
      assert.equal(
        refusalsOf(await put(key, { value: example }, wrong)),
        '403  PERMISSION_REQUIRED',
        key,
      )
      const right = world.caller(workspace, 'settings.read', permission)
      assert.equal((await put(key, { value: example }, right)).status, 200, key)
    }
    const nobody = world.caller(workspace, 'venues.read')
    assert.equal((await get('margins', nobody)).status, 403)
    assert.equal((await put('margins', { value: {} }, nobody)).status, 403)
  })

  it('counts at once, also for another process, and is told of', async () => {
    const before = (await get('slippage')).data
    const changed = await put('slippage', { value: '0.0200', version: before.version })
    assert.deepEqual([changed.status, changed.data.value], [200, '0.02'])
    assert.equal(changed.data.version, before.version + 1)
    const other = await world.serve()
    const read = await other.call<SettingRecord>('GET', '/settings/slippage', { token: admin })
    await other.close()
    assert.deepEqual(read.data, changed.data)
    assert.equal((await settingsOf(world.db, workspace)).slippage, '0.02')
    const [event] = await world.db.query<{ type: string; data: Record<string, unknown> }>(sql`
      select type, data
      from events
      where workspace = ${workspace}
        and resource_id = ${changed.data.id}
      order by sequence desc
      limit 1`)
    assert.deepEqual(
      [event?.type, event?.data['key'], event?.data['after'], event?.data['hand']],
      ['setting.changed', 'slippage', '0.02', 'USER'],
    )
    const [entry] = await world.db.query<{ details: unknown; actor: string }>(sql`
      select details, actor
      from security_log
      where workspace = ${workspace}
        and kind = 'SETTINGS_CHANGED'
      order by id desc
      limit 1`)
    assert.deepEqual(entry, {
      actor: changed.data.changed_by,
      details: { before: { slippage: before.value }, after: { slippage: '0.02' } },
    })
  })

  it('refuses a version that is gone, and repeats by the key of the first request', async () => {
    const { version } = (await get('fee_borne_by')).data
    const headers = { 'idempotency-key': 'first' }
    const body = { value: 'CUSTOMER', version }
    const [first, again] = [
      await put('fee_borne_by', body, admin, headers),
      await put('fee_borne_by', body, admin, headers),
    ]
    assert.deepEqual([first.status, first.data.version], [200, version + 1])
    assert.deepEqual(again.data, first.data)
    assert.equal(
      refusalsOf(await put('fee_borne_by', { value: 'HOUSE', version })),
      '400 version STALE_VERSION',
    )
    assert.equal((await get('fee_borne_by')).data.value, 'CUSTOMER')
  })

  it('has every value of before in its history, newest first', async () => {
    for (const value of ['0.03', '0.04']) await put('default_risk', { value })
    type Change = { version: number; before: unknown; after: unknown; hand: string }
    const history = await server.call<Change[]>('GET', '/settings/default_risk/history?limit=2', {
      token: admin,
    })
    assert.deepEqual(
      history.data.map(({ version, before, after, hand }) => [version, before, after, hand]),
      [
        [3, '0.03', '0.04', 'USER'],
        [2, '0.001', '0.03', 'USER'],
      ],
    )
    const csv = await server.call('GET', '/settings/margins/history', {
      token: admin,
      headers: { accept: 'text/csv' },
    })
    assert.match(csv.text, /DEFAULT/)
    assert.equal(
      (await server.call('GET', '/settings/nothing/history', { token: admin })).status,
      404,
    )
    await assert.rejects(
      world.db.query(sql`
        delete
        from setting_changes`),
    )
  })

  it('names the place of what is wrong, and changes nothing', async () => {
    const { DEFAULT, PREMIUM } = DEFAULT_SETTINGS.margins
    const day = { ...CALENDAR, holidays: ['12-24', '2026-02-30'] }
    const wrong: [string, unknown, string][] = [
      ['margins', { DEFAULT }, 'value.PREMIUM REQUIRED'],
      ['margins', { DEFAULT, PREMIUM: '-1' }, 'value.PREMIUM FORMAT'],
      ['margins', { DEFAULT: '1', PREMIUM }, 'value.DEFAULT RANGE'],
      ['margins', { DEFAULT, PREMIUM, ' ': '0.1' }, 'value FORMAT'],
      ['margins', null, 'value TYPE'],
      ['slippage', 0.01, 'value TYPE'],
      ['slippage', '1', 'value RANGE'],
      ['compliance', 'yes', 'value TYPE'],
      ['fee_borne_by', 'NOBODY', 'value ENUM'],
      ['personal_data_kept_days', -1, 'value RANGE'],
      ['open_period_from', 'today', 'value TYPE'],
      ['mail_wait_minutes', 1.5, 'value TYPE'],
      ['mail_time_zone', 'Moon/Sea', 'value FORMAT'],
      [
        'mail_templates',
        { de: { order_filled: { subject: '{balance}', body: 'x' } } },
        'value.de.order_filled.subject FORMAT',
      ],
      ['calendar.bank', { ...CALENDAR, closed: true }, 'value.closed UNKNOWN_FIELD'],
      ['calendar.bank', { ...CALENDAR, cut_off: '25:00' }, 'value.cut_off FORMAT'],
      ['calendar.bank', { ...CALENDAR, time_zone: 'Moon/Sea' }, 'value.time_zone FORMAT'],
      ['calendar.bank', day, 'value.holidays[1] FORMAT'],
    ]
    const before = await server.call('GET', '/settings', { token: admin })
    for (const [key, value, says] of wrong)
      assert.equal(refusalsOf(await put(key, { value })), `400 ${says}`, `${key} ${says}`)
    assert.equal(refusalsOf(await put('margins', {})), '400 value REQUIRED')
    assert.equal(refusalsOf(await put('nothing', { value: 1 })), '404 key NOT_FOUND')
    assert.deepEqual((await server.call('GET', '/settings', { token: admin })).data, before.data)
  })

  it('demands a second factor in a file only where there is a key file', async () => {
    const own = await world.newWorkspace('with a file')
    const token = world.caller(own, 'settings.read')
    const apply = (roles: Role[], wrapping: object | undefined) =>
      world.apply(
        own,
        { venues: [BANK], settings: { second_factor_roles: roles } },
        { access: { tokens: { wrapping } } },
      )
    const roles = async () => (await get('second_factor_roles', token)).data.value
    await assert.rejects(apply(['ADMIN'], undefined), (error: ApiError) => {
      assert.match(String(error), /second factors need a key file: KONTOR_KEY_FILE must name it/)
      const [detail] = error.details
      assert.deepEqual([detail?.path, detail?.code], ['settings.second_factor_roles', 'CONFLICT'])
      return true
    })
    assert.deepEqual(await roles(), [])
    await apply([], undefined)
    await apply(['ADMIN'], {})
    assert.deepEqual(await roles(), ['ADMIN'])
  })

  it('shows another workspace nothing', async () => {
    const theirs = world.caller(await world.newWorkspace('theirs'), 'settings.read')
    assert.equal((await get('calendar.bank', theirs)).status, 404)
    assert.equal((await get('slippage', theirs)).data.value, DEFAULT_SETTINGS.slippage)
    const history = await server.call<unknown[]>('GET', '/settings/margins/history', {
      token: theirs,
    })
    assert.deepEqual(history.data, [])
  })

  it('gives a bank the calendar that somebody put, also after the file', async () => {
    const value = {
      ...CALENDAR,
      weekend_days: ['SUN'],
      holidays: ['12-24', '08-15'],
      cut_off: '15:30',
    }
    assert.equal((await put('calendar.bank', { value })).status, 200)
    const options = {
      ...BANK.options,
      calendar: 'TARGET2',
      weekend_days: 'SUN',
      holidays: '08-15,12-24',
      cut_off: '15:30',
      time_zone: 'Europe/Berlin',
    }
    assert.deepEqual(await world.optionsOfBank(workspace), options)
    const drifts = await world.apply(workspace, { venues: [BANK] })
    assert.deepEqual(await world.optionsOfBank(workspace), options)
    assert.deepEqual(
      drifts.map(({ key, file }) => [key, file]),
      [['calendar.bank', { ...CALENDAR, weekend_days: ['SUN', 'SAT'] }]],
    )
    await world.apply(workspace, { venues: [BANK] }, { overwrite: true })
    assert.deepEqual(await world.optionsOfBank(workspace), BANK.options)
    assert.equal((await get('calendar.bank')).data.drift, null)
  })

  it('is told of once when it begins to differ from the file, and once when it ends', async () => {
    const ours = await world.newWorkspace('drifting')
    const person = world.caller(ours, 'settings.read', 'settings.trading.write')
    const file = { settings: { slippage: '0.01' } }
    const told = async (): Promise<string> => {
      const events = await world.db.query<{ type: string; by: string }>(sql`
        select type, data ->> 'by' as by
        from events
        where workspace = ${ours}
          and type like 'setting.drift%'
        order by sequence`)
      return events
        .map(({ type, by }) => `${type}${by === 'configuration' ? ' by file' : ''}`)
        .join(', ')
    }
    const set = (value: string, more = {}) => put('slippage', { value, ...more }, person)
    await world.apply(ours, file)
    assert.equal(await told(), '')
    for (const value of ['0.02', '0.03', '0.03']) await set(value)
    for (const _start of [1, 2]) await world.apply(ours, file)
    assert.equal(await told(), 'setting.drifted')
    await set('0.03', { keep_against_file: true })
    await world.apply(ours, file)
    assert.equal(await told(), 'setting.drifted, setting.drift_ended')
    await world.apply(ours, { settings: { slippage: '0.04' } })
    await world.apply(ours, { settings: { slippage: '0.04' } })
    await set('0.04')
    const again = 'setting.drifted by file, setting.drift_ended'
    assert.equal(await told(), `setting.drifted, setting.drift_ended, ${again}`)
  })
})
