/** A selection of the fault matrix against real processes. The whole: `npm run faults`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FLOWS, nameOf, ROWS, VENUE_FAULTS } from './matrix.ts'
import { SELECTED } from './selected.ts'
import type { Flow } from './flow.ts'
import { wholeWrong } from './differences.ts'
import { runRows } from './run.ts'
import { tableOf } from './table.ts'
import { openWorld } from './world.ts'

describe('the fault matrix', { timeout: 1_400_000 }, () => {
  it('has every fault, and every sort of flow, among what is tested here', () => {
    const sortOf = (flow: Flow) => flow.name.split(':')[0]
    assert.deepEqual(
      [
        ...new Set(
          FLOWS.filter((flow) => !SELECTED.some((row) => sortOf(row.flow) === sortOf(flow))).map(
            sortOf,
          ),
        ),
      ],
      ['batch', 'bank return', 'route with a collection'],
    )
    assert.deepEqual(
      VENUE_FAULTS.filter((fault) => !SELECTED.some((row) => row.venue === fault)).map(
        (fault) => fault.name,
      ),
      [],
    )
    assert.equal(
      new Set(ROWS.map((row) => `${row.flow.name}: ${nameOf(row)}`)).size,
      ROWS.length,
      'no row twice',
    )
  })

  it('ends rightly in every row, and as a whole', async () => {
    const world = await openWorld()
    try {
      const results = await runRows(world, SELECTED)
      const wrong = results.filter((result) => result.wrong.length > 0)
      assert.deepEqual(
        wrong.map(
          (result) => `${result.row.flow.name}: ${nameOf(result.row)}: ${result.wrong.join('; ')}`,
        ),
        [],
        tableOf(results),
      )
      assert.equal(results.length, SELECTED.length)
      assert.deepEqual(await wholeWrong(world), [])
    } finally {
      await world.close()
    }
  })
})
