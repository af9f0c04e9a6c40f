/** Of states that no record of work tells: a venue that is silent, a file that is not followed. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { UserId } from '../../core/ids.ts'
import type { EventDraft } from '../../ledger/index.ts'
import type { Notification } from './notifications.schema.ts'
import { NotificationsWorld } from './notifications.testing.ts'

describe('notifications of states', () => {
  let world: NotificationsWorld
  let ben: UserId
  before(async () => {
    world = await NotificationsWorld.open()
    await world.person('ann', ['TREASURER'])
    ben = await world.person('ben', ['TREASURER'])
    await world.person('tara', ['TRADER'])
    await world.person('admin', ['ADMIN'])
  })
  after(() => world.close())

  const list = async (name: string) =>
    (await world.call<Notification[]>(name, 'GET /notifications?unread=true')).data
  const readAll = async () => {
    for (const name of ['ann', 'ben', 'tara', 'admin'])
      await world.call(name, 'POST /notifications/read', {})
  }

  it('of venues and drifts go to who may act, of a setting to who may change it', async () => {
    const drifted = (
      type: 'setting.drifted' | 'declaration.drifted',
      data: object,
    ): EventDraft => ({
      type,
      resource_id: newId(),
      data: { ...data },
    })
    await world.publish([
      { type: 'venue.fell_silent', resource_id: newId(), data: { since: 0 } },
      drifted('setting.drifted', { key: 'margins', by: 'configuration' }),
      drifted('setting.drifted', { key: 'brand', by: 'configuration' }),
      drifted('declaration.drifted', { key: 'venue.okx', kind: 'VENUE', by: 'configuration' }),
    ])
    await world.tell()
    const counts = async (name: string) =>
      (await list(name)).map(({ kind, count }) => `${kind} ${count}`).toSorted()
    assert.deepEqual(await counts('admin'), [
      'declaration_drifts 1',
      'setting_drifts 2',
      'venue_silent 1',
    ])
    assert.deepEqual(await counts('ann'), ['setting_drifts 1', 'venue_silent 1'])
    assert.deepEqual(await counts('tara'), [])
    assert.deepEqual(
      (await list('admin')).map(({ waiting, record_title }) => [waiting, record_title]),
      [0, 0, 0].map((none) => [none, null]),
      'by now none of it is so',
    )
    await readAll()
    await world.publish([drifted('setting.drifted', { key: 'margins', by: ben })])
    await world.tell()
    assert.deepEqual([await counts('ann'), await counts('ben')], [['setting_drifts 1'], []])
  })

  it('of approvals go to who may decide, not to who asked, and are mailed', async () => {
    const vera = await world.person('vera', ['APPROVER'])
    await world.person('otto', ['APPROVER'])
    const mona = await world.person('mona', ['APPROVER', 'TREASURER'])
    const resource_id = newId()
    const data = {
      command: 'USER_CHANGE',
      record_id: null,
      requested_by: vera,
      groups: [{ roles: ['APPROVER'], n: 1 }],
      excluded: [vera, mona],
    }
    await world.publish([{ type: 'approval.requested', resource_id, data }])
    await world.tell()
    const told = async (name: string) =>
      (await list(name))
        .filter(({ kind }) => kind === 'approval_waiting')
        .map(({ record_id }) => record_id)
    assert.deepEqual(await told('otto'), [resource_id])
    for (const name of ['vera', 'mona', 'ann', 'admin'])
      assert.deepEqual(await told(name), [], name)
    const later = newId()
    const forTreasurers = { ...data, excluded: [vera], groups: [{ roles: ['TREASURER'], n: 1 }] }
    await world.publish([{ type: 'approval.requested', resource_id: later, data: forTreasurers }])
    await world.tell()
    assert.deepEqual(await told('mona'), [later])
    assert.deepEqual(await told('otto'), [resource_id])
    world.clock.advance(60_000)
    await world.mail()
    const mail = world.sent.find(({ recipient }) => recipient === 'otto@example.com')
    assert.ok(mail !== undefined)
    assert.match(mail.body, /Your approval is asked for\.\nApproval request /)
    assert.ok(mail.body.includes(`https://kontor.example/desk/approvals/${resource_id}\n`))
  })

  it('are mailed with the way to their list', async () => {
    await world.call('ann', 'PUT /notifications/preferences', {
      kinds: [
        { kind: 'setting_drifts', way: 'MAIL' },
        { kind: 'venue_silent', way: 'MAIL' },
      ],
    })
    await readAll()
    world.sent.length = 0
    const venue_id = newId()
    await world.publish([
      { type: 'venue.fell_silent', resource_id: venue_id, data: { since: 0 } },
      { type: 'setting.drifted', resource_id: newId(), data: { key: 'margins' } },
    ])
    await world.tell()
    world.clock.advance(60_000)
    await world.mail()
    const body = world.sent[0]?.body ?? ''
    assert.match(body, /A venue did not answer\.\nVenue V-[0-9A-F]{8}, /)
    assert.ok(body.includes(`https://kontor.example/venues/${venue_id}\n`))
    assert.match(body, /A setting differed from the configuration file\.\n[^\n]+\nhttps:/)
    assert.match(body, /https:\/\/kontor\.example\/administration\/settings\n/)
  })
})
