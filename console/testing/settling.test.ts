/**
 * Settling, and the overview of a day, by clicks in a real browser: each action right and wrong.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openPlace, PATIENCE_MILLISECONDS, until } from './browser.ts'
import type { Place } from './browser.ts'
import {
  arrived,
  cannot,
  carryOut,
  choose,
  confirm,
  dialog as dialogOf,
  field,
  go,
  itIsAccessible,
  press,
} from './hands.ts'
import { givePeopleMoney } from './money.ts'

const place = await openPlace()

describe(
  'settling in the console',
  { skip: place === undefined && 'no Chromium runs here' },
  () => {
    let here: Place
    let page: Page
    before(async () => {
      if (place === undefined) return
      here = place
      await givePeopleMoney(here)
      await here.wire({ from_name: 'Late Comer', quantity: '77.7', reference: 'WHOSE' })
      page = await here.page({ path: '/trading/settlements' })
    })
    after(() => here?.close())

    const dialog = (name: RegExp | string) => dialogOf(page, name)

    it('settles: claims, gives up, claims again, leaves out and takes in, covers, changes parts, initiates, confirms', async () => {
      const prime =
        (await here.kontor.get('/price-stream/routes')).find(
          (each) => each.label === 'BTC/EUR at Prime',
        )?.id ?? ''
      const customer_id = (await here.kontor.get('/customers'))[0]?.id ?? ''
      for (const [side, amount] of [
        ['BUY', '0.25'],
        ['SELL', '0.1'],
      ] as const) {
        const { id } = await here.kontor.post('/executions', {
          body: {
            route_id: prime,
            side,
            execution_type: 'MARKET',
            amount,
            customers: [{ customer_id }],
          },
        })
        await until(
          'it is traded',
          PATIENCE_MILLISECONDS,
          async () =>
            (await here.kontor.get('/executions/{execution_id}', { params: { execution_id: id } }))
              .state === 'DONE',
        )
      }
      await go(page, '/trading/settlements')
      await page.getByRole('button', { name: 'New settlement' }).click()
      const claim = dialog('New settlement')
      await claim.getByLabel('Trades before').fill('2020-01-01T00:00')
      await claim.getByRole('button', { name: 'New settlement' }).click()
      await claim.getByText('timerange_to is after timerange_from').waitFor()
      await claim.getByLabel('Trades before').fill('2090-01-01T00:00')
      await carryOut(claim, 'New settlement')
      await page.getByRole('row').filter({ hasText: 'Preparing' }).click()
      const record = dialog('Settlement')
      const button = (name: string) => record.getByRole('button', { name, exact: true })
      await button('Cancel settlement').click()
      await dialog('Cancel settlement').getByLabel('Reason').fill('a day too early')
      await carryOut(dialog('Cancel settlement'), 'Cancel settlement')
      await record.getByText('a day too early').waitFor()
      await cannot(button('Cancel settlement'), 'The settlement has ended')
      await page.keyboard.press('Escape')
      await record.waitFor({ state: 'hidden' })
      await page.getByRole('button', { name: 'New settlement' }).click()
      await claim.getByLabel('Trades before').fill('2090-01-01T00:00')
      await carryOut(claim, 'New settlement')
      await page.getByRole('row').filter({ hasText: 'Preparing' }).click()
      await cannot(button('Back to preparing'), 'The settlement is already being prepared')

      // What is changed next names the version that was answered, not the one that is read some
      // time later.
      const later = Promise.withResolvers<undefined>()
      await page.route(
        `**/api/settlements/${page.url().split('/').at(-1)?.split(/[?#]/)[0] ?? ''}`,
        async (route) => {
          await later.promise
          await route.continue().catch(() => undefined)
        },
      )
      await record.getByRole('tab', { name: 'Trades' }).click()
      await record.getByRole('button', { name: 'Remove trade' }).first().click()
      await carryOut(dialog(/^Remove trade/), 'Remove trade')
      await record.getByRole('button', { name: 'Add trade' }).click()
      await carryOut(dialog(/^Add trade/), 'Add trade')
      await record.getByText('Every trade of this period').waitFor()
      later.resolve(undefined)

      for (const back of [true, false]) {
        await button('Cover').click()
        await carryOut(dialog(/^Cover/), 'Cover')
        if (!back) break
        await button('Back to preparing').click()
        await dialog(/^Back to preparing/)
          .getByLabel('To be confirmed')
          .waitFor()
        await carryOut(dialog(/^Back to preparing/), 'Back to preparing')
      }
      await record.getByRole('tab', { name: 'Parts' }).click()
      await record.getByText('We pay').waitFor()
      await record.getByRole('button', { name: 'Change parts' }).click()
      const change = dialog(/^Change parts/)
      await change.getByLabel('Amount 1').fill('0.01')
      await change.getByRole('button', { name: 'Change parts' }).click()
      await change.getByText('are to be covered').waitFor()
      await change.getByRole('button', { name: 'Cancel' }).click()

      await record
        .getByRole('row')
        .filter({ hasText: 'We pay' })
        .getByRole('button', { name: 'Initiate' })
        .click()
      const sending = dialog(/^Initiate/)
      await sending.getByText('from Bank EUR to Prime EUR').waitFor()
      await sending.getByText('Fee about').waitFor()
      await carryOut(sending, 'Initiate')
      await record
        .getByRole('row')
        .filter({ hasText: 'We pay' })
        .getByText(/Initiated|Success/)
        .waitFor()
      await cannot(button('Cancel settlement'), 'A part has moved or may have left')
      await cannot(
        button('Back to preparing'),
        'Some parts have begun to move, or the settlement has ended',
      )

      await record
        .getByRole('row')
        .filter({ hasText: 'We receive' })
        .getByRole('button', { name: 'Confirm by hand' })
        .click()
      const telling = dialog(/^Confirm by hand/)
      await press(telling, 'Continue')
      await telling.getByText('Evidence is required').waitFor()
      await field(telling, 'Evidence').fill('Told by the desk')
      await press(telling, 'Continue')
      await telling.getByLabel('To be confirmed').getByText('Told by the desk').waitFor()
      await carryOut(telling, 'Confirm by hand')
      await record.getByText('Confirmed manually').waitFor()
    })

    it('a settlement that waits is given up, one that was covered anew is not sent as it was seen, and a person confirms what no venue tells', async () => {
      const { kontor, sandbox_url } = here
      const control = async (method: string, path: string, body?: object): Promise<void> => {
        const answer = await fetch(`${sandbox_url}/control/${path}`, {
          method,
          ...(body === undefined
            ? {}
            : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
        })
        assert.ok(answer.ok, await answer.text())
      }
      await control('POST', 'prime/payouts/automatic', { on: false })
      const prime =
        (await kontor.get('/price-stream/routes')).find((each) => each.label === 'BTC/EUR at Prime')
          ?.id ?? ''
      const customer_id = (await kontor.get('/customers'))[0]?.id ?? ''
      const { id: execution_id } = await kontor.post('/executions', {
        body: {
          route_id: prime,
          side: 'BUY',
          execution_type: 'MARKET',
          amount: '0.02',
          customers: [{ customer_id }],
        },
      })
      await until(
        'it is traded',
        PATIENCE_MILLISECONDS,
        async () =>
          (await kontor.get('/executions/{execution_id}', { params: { execution_id } })).state ===
          'DONE',
      )
      const covered = async () => {
        const { id } = await kontor.post('/settlements', {
          body: { timerange_from: 1_000_000_000_000, timerange_to: 4_000_000_000_000 },
        })
        const settlement = await kontor.put('/settlements/{settlement_id}/parts', {
          params: { settlement_id: id },
          body: {},
        })
        await go(page, `/trading/settlements/${id}#parts`)
        return settlement
      }
      const record = dialog('Settlement')
      const row = (way: string) => record.getByRole('row').filter({ hasText: way })

      await covered()
      await row('We receive').getByRole('button', { name: 'Initiate' }).click()
      await carryOut(dialog(/^Initiate/), 'Initiate')
      await row('We receive').getByText('Initiated').waitFor()
      await record.getByRole('button', { name: 'Cancel settlement' }).click()
      await dialog('Cancel settlement').getByLabel('Reason').fill('they settle tomorrow')
      await carryOut(dialog('Cancel settlement'), 'Cancel settlement')
      await cannot(
        row('We pay').getByRole('button', { name: 'Initiate' }),
        'The settlement has ended',
      )

      const { id, parts } = await covered()
      await cannot(
        row('We pay').getByRole('button', { name: 'Confirm by hand' }),
        'Initiate the settlement first',
      )
      await record.getByRole('button', { name: 'Initiate', exact: true }).first().click()
      const sending = dialog(/^Initiate/)
      await sending.getByText('Fee about').waitFor()
      await kontor.put('/settlements/{settlement_id}/parts', {
        params: { settlement_id: id },
        body: {
          parts: parts.map(({ venue_id, asset, quantity, route_id, direction }) => ({
            venue_id,
            asset,
            quantity,
            ...(direction === 'OUTGOING' && route_id !== null ? { route_id } : {}),
          })),
        },
      })
      await sending.getByRole('button', { name: 'Initiate' }).click()
      await sending.getByText('does not exist').waitFor()
      await sending.getByRole('button', { name: 'Cancel' }).click()

      // The parts as they are now stand there.
      await cannot(
        row('We receive').getByRole('button', { name: 'Initiate', exact: true }),
        /^The part has no route/,
      )
      await control('POST', 'faults', {
        venue: 'prime',
        operation: '*',
        kind: 'DOWN',
        remaining: -1,
      })
      await record.getByRole('button', { name: 'Initiate', exact: true }).first().click()
      await sending.getByText('without a route').waitFor()
      await carryOut(sending, 'Initiate')
      await until('the payment has left', PATIENCE_MILLISECONDS, async () =>
        (await kontor.get('/treasury/withdrawals')).some(
          (each) => each.settlement_id === id && each.state === 'SUCCESS',
        ),
      )
      for (const way of ['We pay', 'We receive']) {
        await row(way).getByRole('button', { name: 'Confirm by hand' }).click()
        await field(dialog(/^Confirm by hand/), 'Evidence').fill('their statement')
        await confirm(dialog(/^Confirm by hand/), 'Confirm by hand')
      }
      assert.equal(
        (await kontor.get('/settlements/{settlement_id}', { params: { settlement_id: id } })).state,
        'SETTLED',
      )
      await control('DELETE', 'faults')
      await row('We pay').getByRole('link', { name: 'Withdrawal' }).click()
      await dialog('Withdrawal').getByRole('link', { name: 'Settlement' }).click()
      await record.getByRole('tab', { name: 'Parts' }).click()
      await row('We pay').getByText('Confirmed manually').waitFor()

      await cannot(
        row('We receive').getByRole('button', { name: 'Stop expecting payment' }),
        'No payment is expected for this part',
      )
      await control('POST', 'prime/payouts', { asset: 'BTC', quantity: '0.02' })
      let deposit_id = ''
      await until('its deposit', PATIENCE_MILLISECONDS, async () => {
        deposit_id =
          (await kontor.get('/treasury/deposits', { query: { state: 'UNASSIGNED' } })).find(
            (each) => each.quantity === '0.02',
          )?.id ?? ''
        return deposit_id !== ''
      })
      await row('We receive').getByRole('button', { name: 'Link deposit' }).click()
      const naming = dialog(/^Link deposit/)
      await naming.getByLabel('Deposit id').fill(deposit_id)
      await naming.getByLabel('Evidence').fill('their statement')
      await naming.getByRole('button', { name: 'Continue' }).click()
      await naming.getByLabel('To be confirmed').getByText('0.02').first().waitFor()
      await naming.getByRole('button', { name: 'Link deposit' }).click()
      await row('We receive').getByRole('link', { name: 'Deposit' }).waitFor()
      assert.equal(
        (await kontor.get('/treasury/deposits/{deposit_id}', { params: { deposit_id } }))
          .settlement_id,
        id,
      )
    })

    it('shows the trades of a venue, and whose they are', async () => {
      await go(page, '/trading/fills')
      await choose(page.getByRole('combobox', { name: 'Venue', exact: true }), 'Prime Brokerage')
      await page
        .getByRole('row')
        .filter({ has: page.getByRole('link', { name: 'Execution' }) })
        .first()
        .click()
      await page
        .getByRole('dialog', { name: 'Trade' })
        .getByRole('link', { name: 'Settlement' })
        .waitFor()
    })

    it('the overview tells what needs a person, and leads there', async () => {
      await go(page, '/overview')
      await page.getByRole('region', { name: 'Totals per asset' }).getByText('BTC').waitFor()
      await page
        .getByRole('region', { name: 'Movements today' })
        .first()
        .getByText('Bought')
        .first()
        .waitFor()
      await arrived(here, 'WHOSE')
      // However many there are by now: others arrive meanwhile.
      await page
        .getByRole('region', { name: 'Needs attention' })
        .getByRole('link', { name: /^\d+ Deposits/ })
        .click()
      await page.getByRole('heading', { name: 'Deposits' }).waitFor()
      await page.getByRole('row').filter({ hasText: 'WHOSE' }).waitFor()
      assert.match(page.url(), /state=UNASSIGNED/)
    })

    itIsAccessible(() => here, ['/overview', '/trading/settlements', '/trading/fills'])
  },
)
