/**
 * Private calls of one account. They go one after another, because a nonce must be above every
 * earlier one, and with the markets loaded.
 */
import type { Calls } from '../wire.ts'
import { serialCalls } from '../wire.ts'
import type { KrakenMoney, RawReply } from './money.ts'

export type KrakenCalls = {
  money: KrakenMoney
  /** Work that has to wait for its turn. */
  serially: Calls
  ready(): Promise<void>
  /** Answers the result of Kraken's reply. */
  call(work: () => Promise<RawReply>): Promise<unknown>
}

export function krakenCalls(money: KrakenMoney): KrakenCalls {
  const serially = serialCalls()
  // A failed load stays in ccxt as a rejected promise; asked to reload, it tries again.
  const ready = async () => {
    if (money.markets === undefined) await money.loadMarkets(true)
  }
  return {
    money,
    serially,
    ready,
    call: (work) =>
      serially(async () => {
        await ready()
        return (await work()).result
      }),
  }
}
