/** Cases of a venue that says by itself that something is new. What is new, its lists say. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { until } from '../../core/testing.ts'
import type { Listen, News, Trading } from '../contract.ts'
import type { Case, ContractFixture, NewsStage, TradingStage } from './trial.testing.ts'

/** What is placed before the new connection is there is told to nobody. */
const BETWEEN_MILLISECONDS = 1_000

type NewsTrial = {
  fixture: ContractFixture
  stage: NewsStage
  trading: Trading
  orders: TradingStage
  hearing: Hearing
}

/** What a venue has said since somebody listens. */
class Hearing {
  readonly stop: () => void
  #heard: News[] = []

  constructor(listen: Listen) {
    this.stop = listen((news) => {
      this.#heard.push(news)
    })
  }

  has(isMeant: (news: News) => boolean): boolean {
    return this.#heard.some(isMeant)
  }

  /** Waits for it, and forgets all that was said. */
  async hears(what: string, isMeant: (news: News) => boolean): Promise<void> {
    await until(what, () => this.has(isMeant))
    this.#heard = []
  }
}

const isAnything = ({ about }: News): boolean => about === 'ALL'
const isOfOthers = (news: News): boolean => news.about === 'ORDER' && news.client_order_id === null

/** Skipped where the venue says nothing by itself. */
const newsCase = (title: string, run: (trial: NewsTrial) => Promise<void>): Case => ({
  title,
  async run({ fixture }, context: TestContext) {
    const { listen, trading } = fixture.venue
    const { news: stage, trading: orders } = fixture
    if (listen === undefined || stage === undefined || trading === undefined || !orders)
      return context.skip('says nothing by itself')
    const hearing = new Hearing(listen)
    try {
      await run({ fixture, stage, trading, orders, hearing })
    } finally {
      hearing.stop()
    }
  },
})

export const NEWS_CASES: readonly Case[] = [
  newsCase(
    'C30 an order of ours is named by its reference, and what others do is told too',
    async ({ fixture: { transfers }, stage, trading, orders, hearing }) => {
      await hearing.hears('the venue is listened to', isAnything)
      const order = orders.good()
      assert.equal((await trading.send(order)).outcome, 'accepted')
      await hearing.hears(
        'the order is named',
        (news) => news.about === 'ORDER' && news.client_order_id === order.client_order_id,
      )
      await orders.outside('SELL', order.quantity)
      await hearing.hears('the order of another is told', isOfOthers)
      if (!stage.tellsTransfers || transfers === undefined) return
      await transfers.arrive()
      await hearing.hears('the deposit is told', ({ about }) => about !== 'ORDER')
    },
  ),
  newsCase(
    'C31 nothing depends on it: what happens while nobody hears is listed, and it is heard again',
    async ({ stage, trading, orders, hearing }) => {
      await stage.cut()
      await hearing.hears('the connection is lost', isAnything)
      const before = await trading.trades?.(null)
      const { quantity } = orders.good()
      const outside = await orders.outside('SELL', quantity)
      await until('the trade is listed', async () => {
        const answer = await trading.trades?.(before?.cursor ?? null)
        return answer?.trades.some((trade) => trade.order_foreign_id === outside)
      })
      let placed_at = 0
      await until('what others do is told again', async () => {
        if (hearing.has(isOfOthers)) return true
        if (Date.now() - placed_at < BETWEEN_MILLISECONDS) return false
        placed_at = Date.now()
        await orders.outside('SELL', quantity)
        return false
      })
    },
  ),
]
