import assert from 'node:assert/strict'
import { it } from 'node:test'
import { JUDGED_OPERATIONS } from '../../../../server/src/approvals/commands.ts'
import { askedWords, changedPlace, OPERATIONS, resultPlace } from './asked-words.ts'

it('has words for each command that the policy judges, and for no other', () => {
  assert.deepEqual(Object.keys(OPERATIONS).toSorted(), Object.keys(JUDGED_OPERATIONS).toSorted())
})

const asked = { command: 'PERIOD_CHANGE', operation: 'closePeriod', record_id: null }

it('leads to what is changed and to what came of it, where a page shows it', () => {
  assert.equal(askedWords(asked), 'Close a period')
  assert.equal(resultPlace({ ...asked, result_id: 'p' }), '/books/periods/p')
  const reopened = { ...asked, operation: 'reopenPeriod', record_id: 'p', result_id: 'p' }
  assert.deepEqual(
    [changedPlace(reopened), resultPlace(reopened)],
    Array(2).fill('/books/periods/p'),
  )
  const setting = { ...asked, operation: 'putSetting', record_id: 's', result_id: 's' }
  assert.deepEqual([changedPlace(setting), resultPlace(setting)], [undefined, undefined])
  const rectified = { ...asked, operation: 'rectifyDeposit', record_id: 'd', result_id: 'r' }
  assert.equal(resultPlace(rectified), undefined)
})

it('says the command of what is no operation', () => {
  assert.equal(askedWords({ command: 'WITHDRAWAL', operation: null }), 'Withdrawal')
})
