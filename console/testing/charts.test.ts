/** Charts, each drawn and told as a table, in both themes; and what executions got. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { openForTests, seriousFindings } from './browser.ts'
import { givePeopleMoney, tradeAtPrime } from './money.ts'

const { here, skip } = await openForTests()

describe('charts', { skip }, () => {
  before(async () => {
    await givePeopleMoney(here)
    await tradeAtPrime(here, 'BUY', '0.1')
  })

  it('are drawn, and are tables for whoever would rather read', async () => {
    const page = await here.page({ path: '/desk/charts?days=7' })
    const panel = (name: string) => page.getByRole('region', { name, exact: true })
    for (const name of ['Positions', 'Exposure', 'Flows of a day'])
      await panel(name).locator('canvas').waitFor()

    const { accounts, days } = await here.kontor.get('/desk/positions', {
      query: { days: '7', time_zone: 'Europe/Zurich' },
    })
    assert.equal(days.length, 7)
    const kraken = accounts.find(
      ({ type, label, asset }) => type === 'VENUE' && label === 'Kraken' && asset === 'BTC',
    )
    const positions = panel('Positions')
    await positions.getByRole('button', { name: 'Show as table' }).click()
    const table = positions.getByRole('table', { name: 'Positions in BTC' })
    const today = table.getByRole('row', { name: days.at(-1)?.day ?? 'no day' })
    await today.filter({ hasText: kraken?.totals.at(-1) ?? 'no total' }).waitFor()
    assert.deepEqual(await seriousFindings(page), [])

    await page.emulateMedia({ colorScheme: 'dark' })
    await positions.getByRole('button', { name: 'Show as picture' }).click()
    await positions.locator('canvas').waitFor()
    assert.deepEqual(await seriousFindings(page), [])

    const flows = panel('Flows of a day')
    await flows.getByRole('button', { name: 'The day before' }).click()
    await flows.getByText('Nothing moved on this day').waitFor()
    await page.context().close()
  })

  it('a price has its range and its table, a timeline its diagram above the list', async () => {
    const [route] = await here.kontor.get('/price-stream/routes')
    const page = await here.page({ theme: 'dark', path: `/trading/routes/${route?.id}#chart` })
    const record = page.locator('.record')
    await record.locator('canvas').waitFor()
    await record.getByText('15 min').click()
    await record.getByText(/^Mid price since/).waitFor()
    await record.getByRole('button', { name: 'Show as table' }).click()
    await record.getByRole('table', { name: 'Mid price and fills' }).waitFor()

    const [execution] = await here.kontor.get('/executions')
    await page.goto(`${here.url}/trading/executions/${execution?.id}#timeline`)
    await record.getByRole('img', { name: /^Timeline as a diagram/ }).waitFor()
    await record.getByRole('list', { name: 'Timeline' }).waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    await page.context().close()
  })

  it('what executions got stands beside the best price when they were ordered', async () => {
    const page = await here.page({ path: '/trading/quality' })
    const [got] = await here.kontor.get('/executions/quality')
    await page.getByText('Best when ordered').waitFor()
    await page
      .getByRole('row')
      .filter({ hasText: 'BTC/EUR' })
      .filter({ hasText: 'Prime' })
      .waitFor()
    assert.ok(got?.reference_price)
    assert.deepEqual(await seriousFindings(page), [])
    await page.getByRole('row').filter({ hasText: 'BTC/EUR' }).click()
    await page.getByRole('dialog', { name: 'Execution' }).waitFor()
    await page.context().close()
  })
})
