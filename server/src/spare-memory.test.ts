import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { giveBack, keepMemorySmall } from './spare-memory.ts'

const MEGABYTE = 1_000_000

describe('memory after a burst', () => {
  it('is given back once the process is quiet, and not again for little', () => {
    let resident = 200
    let collections = 0
    const turn = giveBack({
      resident: () => resident,
      collect() {
        collections += 1
        resident = 210
      },
    })
    const after = (utilisation: number, now = resident) => {
      resident = now
      turn(utilisation)
      return collections
    }
    assert.equal(after(0.1, 240), 0, 'it is little')
    assert.equal(after(0.9, 600), 0, 'the burst goes on')
    assert.equal(after(0.1), 1)
    assert.equal(after(0.1, 260), 1, 'it is little above 210')
    assert.equal(after(0.1, 270), 2)
  })

  it('leaves the process at one of the next looks', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const before = process.memoryUsage.rss()
    const keeper = keepMemorySmall()
    let burst = Array.from({ length: 2_000_000 }, (_, n) => ({ n, next: [n] }))
    const full = process.memoryUsage.rss()
    assert.ok(full - before > 150 * MEGABYTE, `${burst.length} take ${full - before}`)
    burst = []
    await t.waitFor(
      () => {
        t.mock.timers.tick(15_000)
        assert.ok(process.memoryUsage.rss() - before < 75 * MEGABYTE)
      },
      { timeout: 30_000 },
    )
    keeper.stop()
  })
})
