/** Days of venues: what is taken, who may sign it off, what stays visible when it is reopened. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { refusalOf } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import { CONFIRM_MILLISECONDS } from './comparison.ts'
import type { Day, DayLine, ShownDay } from './days.schema.ts'
import { openReconciliation } from './reconciliation.testing.ts'
import type { ReconciliationDesk } from './reconciliation.testing.ts'

const DAY = 86_400_000
const PATH = '/desk/reconciliation/days'

describe('days of venues', () => {
  let desk: ReconciliationDesk
  let place: ReconciliationDesk['place']
  before(async () => {
    desk = await openReconciliation()
    place = desk.place
  })
  after(() => desk.end())
  /** Each test begins at noon of a day of its own, with nothing different. */
  beforeEach(async () => {
    place.vault.down = false
    desk.holds('BTC', '10')
    place.clock.set(midnight() + DAY + DAY / 2)
    await desk.run()
    await place.later(CONFIRM_MILLISECONDS)
    await desk.run()
  })

  const midnight = () => place.clock.now() - (place.clock.now() % DAY)
  const today = () => new Date(place.clock.now()).toISOString().slice(0, 10)
  const days = async (query = '') => (await desk.api.call<Day[]>('GET', `${PATH}?${query}`)).data
  const show = async (id: string) => (await desk.api.call<ShownDay>('GET', `${PATH}/${id}`)).data
  const signOff = (id: string, token?: string, body: object = {}) =>
    desk.api.call<ShownDay>('POST', `${PATH}/${id}/sign-off`, { token, body })
  const reopen = (id: string, reason: string, token?: string) =>
    desk.api.call<ShownDay>('POST', `${PATH}/${id}/reopen`, { token, body: { reason } })

  /** The vault's day, once it is over and the next comparison is made. */
  async function dayOver(): Promise<Day> {
    const day = today()
    place.clock.set(midnight() + DAY + 1_000)
    await desk.run()
    const [taken] = await days(`venue_id=${place.vault.id}&day=${day}`)
    assert.ok(taken)
    return taken
  }
  const bitcoin = (lines: readonly DayLine[]) =>
    lines.filter((line) => line.asset === 'BTC').map(figures)
  const figures = ({ wallet, state, ledger, venue, difference }: DayLine) =>
    `${wallet} ${state} ${ledger} ${venue} ${difference}`

  it('keeps what was compared last on the day, whatever comes later', async () => {
    desk.holds('BTC', '10.3')
    const compared = place.clock.now()
    await desk.run()
    assert.deepEqual(await days(`day=${today()}`), [])
    desk.holds('BTC', '10')
    const day = await dayOver()
    assert.equal(day.state, 'OPEN')
    assert.equal(day.compared_at, compared)
    const { lines } = await show(day.id)
    assert.equal(lines.length, day.line_count)
    assert.deepEqual(bitcoin(lines), ['0 CHECKING 10 10.3 0.3'])
    await place.later(60_000)
    await desk.run()
    assert.deepEqual((await show(day.id)).lines, lines)
    assert.equal((await days(`venue_id=${place.vault.id}&day=${day.day}`)).length, 1)
  })

  it('has days on which nothing was compared, which are signed with a note', async () => {
    place.vault.down = true
    place.clock.set(midnight() + 3 * DAY + 1_000)
    const silent = new Date(midnight() - 2 * DAY).toISOString().slice(0, 10)
    await desk.run()
    const [day] = await days(`venue_id=${place.vault.id}&day=${silent}`)
    assert.ok(day)
    assert.deepEqual(
      { compared_at: day.compared_at, line_count: day.line_count },
      { compared_at: null, line_count: 0 },
    )
    assert.equal(refusalOf(await signOff(day.id)), '400 3001 REQUIRED note')
    assert.equal((await signOff(day.id, undefined, { note: 'The vault was away' })).status, 200)
    place.vault.down = false
    await desk.run()
    assert.equal((await days(`venue_id=${place.vault.id}&day=${silent}`)).length, 1)
  })

  it('is signed off once its breaks are explained, and not by who explained one', async () => {
    desk.holds('BTC', '10.4')
    await desk.run()
    await place.later(CONFIRM_MILLISECONDS)
    await desk.run()
    const [open] = await desk.breaks('state=OPEN')
    assert.ok(open)
    const day = await dayOver()
    assert.equal(day.unexplained_count, 1)
    assert.equal(refusalOf(await signOff(day.id, 'ann')), '400 3001 STATE_NOT_ALLOWED day_id')
    assert.equal((await desk.close(open.id, 'A gift of the vault', 'ann')).status, 200)
    assert.equal(refusalOf(await signOff(day.id, 'ann')), '400 3001 ANOTHER_PERSON day_id')
    assert.equal((await signOff(day.id, 'reader')).status, 403)
    assert.equal(refusalOf(await signOff(day.id, 'program')), '400 3001 ANOTHER_PERSON ')
    const signed = await signOff(day.id, 'ben', { note: 'Agreed' })
    assert.equal(signed.status, 200, signed.text)
    assert.equal(signed.data.state, 'SIGNED_OFF')
    const line = signed.data.lines.find(({ break_id }) => break_id === open.id)
    assert.deepEqual(
      { figures: line && figures(line), note: line?.note },
      { figures: '0 BREAK 10 10.4 0.4', note: 'A gift of the vault' },
    )
    assert.notEqual(line?.explained_by, signed.data.signed_off_by)
    assert.deepEqual(
      signed.data.breaks.map(({ id }) => id),
      [open.id],
    )
    assert.equal(refusalOf(await signOff(day.id, 'ben')), '400 3001 STATE_NOT_ALLOWED day_id')
    assert.deepEqual(await place.events(day.id), ['reconciliation_day.signed_off'])
    // The accepted difference stands in the next day, too: who accepted it does not sign that.
    place.clock.set(midnight() + DAY / 2)
    await desk.run()
    const next = await dayOver()
    assert.equal(refusalOf(await signOff(next.id, 'ann')), '400 3001 ANOTHER_PERSON day_id')
    assert.equal((await signOff(next.id, 'ben')).status, 200)
  })

  it('is not signed while a difference is checked, also if its break opens later', async () => {
    place.clock.set(midnight() + DAY - 5_000)
    desk.holds('BTC', '10.5')
    await desk.run()
    const day = await dayOver()
    assert.equal(day.unexplained_count, 1)
    assert.equal(refusalOf(await signOff(day.id)), '400 3001 STATE_NOT_ALLOWED day_id')
    await place.later(CONFIRM_MILLISECONDS)
    await desk.run()
    assert.equal((await show(day.id)).unexplained_count, 1)
    desk.holds('BTC', '10')
    await desk.run()
    const { unexplained_count, lines, breaks } = await show(day.id)
    assert.deepEqual(
      { unexplained_count, breaks: breaks.map(({ closed_reason }) => closed_reason) },
      { unexplained_count: 0, breaks: ['RESOLVED'] },
    )
    assert.equal(lines.find(({ asset }) => asset === 'BTC')?.break_id, breaks[0]?.id)
    assert.equal((await signOff(day.id)).status, 200)
  })

  it('is reopened with a reason, and shows both signatures for good', async () => {
    const day = await dayOver()
    assert.equal(refusalOf(await reopen(day.id, 'Why?')), '400 3001 STATE_NOT_ALLOWED day_id')
    await signOff(day.id, 'ann')
    // What is found later belongs to a later day, and opens no signed one.
    desk.holds('BTC', '10.6')
    await desk.run()
    await place.later(CONFIRM_MILLISECONDS)
    await desk.run()
    assert.equal((await desk.breaks('state=OPEN')).length, 1)
    assert.partialDeepStrictEqual(await show(day.id), { state: 'SIGNED_OFF', breaks: [] })
    desk.holds('BTC', '10')
    await desk.run()
    assert.equal((await reopen(day.id, ' ', 'ben')).status, 400)
    const reopened = await reopen(day.id, 'Another statement has come', 'ben')
    assert.equal(reopened.data.state, 'OPEN')
    assert.equal(reopened.data.signed_off_by, null)
    const again = await signOff(day.id, 'ben')
    assert.deepEqual(
      again.data.signatures.map(({ action, note }) => `${action} ${note}`),
      ['SIGNED_OFF null', 'REOPENED Another statement has come', 'SIGNED_OFF null'],
    )
    assert.deepEqual(await place.events(day.id), [
      'reconciliation_day.signed_off',
      'reconciliation_day.reopened',
      'reconciliation_day.signed_off',
    ])
  })

  it('is signed once, however many do it at the same time', async () => {
    const day = await dayOver()
    const answers = await Promise.all(
      ['ann', 'ben', 'ann', 'ben'].map((who) => signOff(day.id, who)),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal((await show(day.id)).signatures.length, 1)
  })

  it('is a table, and unknown to another workspace', async () => {
    const day = await dayOver()
    const lines = await desk.api.call('GET', `${PATH}/${day.id}/lines`, {
      headers: { accept: 'text/csv' },
    })
    const [head, ...rows] = lines.text.trim().split('\r\n')
    assert.match(String(head), /^line_no,asset,wallet,state,ledger,venue,/)
    assert.equal(rows.length, day.line_count)
    const list = await desk.api.call('GET', `${PATH}?day=${day.day}`, {
      headers: { accept: 'text/csv' },
    })
    assert.match(list.text, new RegExp(day.id))
    const strange = { token: 'stranger' }
    assert.equal((await desk.api.call('GET', `${PATH}/${day.id}`, strange)).status, 404)
    assert.equal((await desk.api.call('GET', `${PATH}/${day.id}/lines`, strange)).status, 404)
    assert.equal((await signOff(day.id, 'stranger')).status, 404)
    assert.deepEqual((await desk.api.call<Day[]>('GET', PATH, strange)).data, [])
  })

  it('is whole or not there', async () => {
    const rows = await place.db.query<{ day: string; counted: number; stored: number }>(sql`
      select d.day, d.line_count as counted, count(l.line_no) as stored
      from reconciliation_days d
      left join reconciliation_lines l on l.workspace = d.workspace
        and l.day_id = d.id
      group by d.workspace, d.id
      having count(l.line_no) <> d.line_count`)
    assert.deepEqual(rows, [])
  })
})
