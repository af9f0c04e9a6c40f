/**
 * What a venue says by itself: that something may be new. It is a hint and never a figure. What is
 * new, the venue's lists and lookups say, and they find it without the hint too.
 */

/**
 * ORDER: an order has changed or was filled; `client_order_id` as in an order's lookup, null where
 * the venue names none. TRANSFERS: something arrived or left. ALL: either; or something may have
 * been said while nobody heard it.
 */
export type News =
  | { about: 'ORDER'; client_order_id: string | null }
  | { about: 'TRANSFERS' }
  | { about: 'ALL' }

export type HearNews = (news: News) => void

/** Hears until the returned function is called. */
export type Listen = (hear: HearNews) => () => void
