import type { OrderState } from '../contract.ts'

/** In these an order does not change any more. */
export const FINAL: readonly OrderState[] = ['FILLED', 'CANCELED', 'EXPIRED', 'REJECTED']
