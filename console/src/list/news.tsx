/**
 * What others have made or changed in a list since the person looked: how much, which rows, only
 * these by one press, and that it was seen. It was also seen by whoever leaves the whole list.
 */
import type { DataOf } from '@kontor/client'
import { App, Button } from 'antd'
import { useEffect, useMemo, useRef } from 'react'
import type { ReactNode } from 'react'
import { useEvents } from '../api/events.ts'
import type { Subject } from '../api/events.ts'
import { queries, useGet } from '../api/query.ts'
import { client } from '../api/session.ts'
import { t } from '../language/index.ts'
import { localTime } from '../parts/local-time.ts'
import { countText } from '../parts/number-format.ts'
import { errorText } from '../parts/states.tsx'
import type { ListState } from './state.ts'

type News = DataOf<'get', '/news/{list}'>
type NewsList = News['list']

const PATH = '/news/{list}'
const LISTS: Readonly<Record<string, NewsList>> = {
  '/treasury/assignments': 'assignment',
  '/treasury/batches': 'batch',
  '/book-transfers': 'book_transfer',
  '/desk/breaks': 'break',
  '/treasury/deposits': 'deposit',
  '/executions': 'execution',
  '/desk/halts': 'halt',
  '/treasury/jobs': 'job',
  '/treasury/payments': 'payment',
  '/treasury/wallets/routes': 'route',
  '/treasury/set-aside-items': 'set_aside_item',
  '/settlements': 'settlement',
  '/treasury/wallets': 'wallet',
  '/treasury/withdrawals': 'withdrawal',
}
const PAUSE_MILLISECONDS = 2_000
const LOOK_MILLISECONDS = 60_000
/** To the minute. */
const TIME_LETTERS = '2026-11-28 17:05'.length
const NONE: ReadonlySet<string> = new Set()

type ListNews = {
  /** Undefined where the list has none. */
  news: News | undefined
  fresh: ReadonlySet<string>
  see(): Promise<void>
}

type Shown = {
  path: string
  live: readonly Subject[] | 'all'
  /** The rows are there, and nothing is left out beside what the filters leave out. */
  whole: boolean
  state: ListState
}

export function useNews({ path, live, whole, state }: Shown): ListNews {
  const list = LISTS[path]
  const request = { params: { list: list ?? 'deposit' } } as const
  const enabled = list !== undefined
  const { data, refetch } = useGet(PATH, request, { enabled, every: LOOK_MILLISECONDS })
  useEvents(enabled ? live : [], () => refetch(), PAUSE_MILLISECONDS)
  const news = enabled ? data : undefined
  const fresh = useMemo(
    () => (news === undefined || news.count === 0 ? NONE : new Set(news.record_ids)),
    [news],
  )
  const filters = Object.keys(state.query).length - (state.onlyNews ? 1 : 0)
  useLeaving(whole && filters === 0 ? news : undefined)
  // From now on there is news.
  const first = news !== undefined && news.seen_at === null
  useEffect(() => {
    if (first) saySeen(news).catch(() => undefined)
  }, [first])
  return { news, fresh, see: async () => news && saySeen(news) }
}

/** What was there when the page is left was seen. */
function useLeaving(news: News | undefined): void {
  const last = useRef(news)
  useEffect(() => {
    last.current = news
  })
  useEffect(
    () => () => {
      if (last.current !== undefined) saySeen(last.current).catch(() => undefined)
    },
    [],
  )
}

async function saySeen({ list, up_to }: News): Promise<void> {
  const params = { list }
  const answer = await client().put(PATH, { params, body: { up_to } })
  queries.setQueryData([PATH, { params }], answer)
}

export function NewsStrip({
  of: { news, see },
  state: { onlyNews, showNews },
}: {
  of: ListNews
  state: ListState
}): ReactNode {
  const { message } = App.useApp()
  if (news === undefined) return null
  const seen = async (): Promise<void> => {
    try {
      await see()
      showNews(undefined)
    } catch (error) {
      message.error(errorText(error, true).title)
    }
  }
  const some = news.count > 0
  return (
    <span className="news" role="group" aria-label={t('News')}>
      <span aria-live="polite">{some && newsText(news)}</span>
      {(some || onlyNews) && (
        <Button
          size="small"
          aria-pressed={onlyNews}
          type={onlyNews ? 'primary' : 'default'}
          onClick={() => {
            showNews(onlyNews ? undefined : news.after)
          }}
        >
          {t('Only new ones')}
        </Button>
      )}
      {some && (
        <Button
          size="small"
          onClick={() => {
            seen().catch(() => undefined)
          }}
        >
          {t('Seen', { context: 'news' })}
        </Button>
      )}
    </span>
  )
}

function newsText({ count, complete, seen_at }: News): string {
  const time = localTime(seen_at ?? 0).slice(0, TIME_LETTERS)
  const number = countText(count)
  return complete
    ? t('{{number}} new since {{time}}', { number, time })
    : t('At least {{number}} new since {{time}}', { number, time })
}

/** In the first cell of a row; its shape tells it, and its name to who does not see it. */
export const NewMark = (): ReactNode => (
  <span
    className="new-mark"
    role="img"
    aria-label={t('New')}
    title={t('Made or changed since you looked')}
  />
)
