/** The steps of a timeline as a diagram: which record each happened to, and how long after. */
import { amountWords } from '../parts/amount-words.ts'
import { accountWords, titleWords } from '../parts/record-words.ts'
import { reasonWords } from '../parts/refusal-words.ts'
import type { DataOf } from '@kontor/client'
import { lazy, Suspense, useMemo } from 'react'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'
import { storyHeight } from '../parts/chart/story-steps.ts'
import type { Story } from '../parts/chart/story-steps.ts'
import { useNumbers } from '../parts/number-format.ts'
import { Loading } from '../parts/states.tsx'
import { inWords } from '../parts/status.tsx'
import { localTime } from '../parts/local-time.ts'
import '../parts/chart/chart.css'

const Canvas = lazy(async () => ({ default: (await import('../parts/chart/canvas.tsx')).Canvas }))

type Step = DataOf<'get', '/timeline/{kind}/{id}'>['steps'][number]

const TALLEST_PIXELS = 420

export function StoryPicture({ steps }: { steps: readonly Step[] }): ReactNode {
  // The texts are made anew when somebody chooses other numbers.
  const { format } = useNumbers()
  const drawing = useMemo(() => ({ story: storyOf(steps) }), [steps, format])
  const height = storyHeight(drawing.story)
  const { lanes } = drawing.story
  if (steps.length < 2) return null
  const label = t(
    'Timeline as a diagram: {{count}} steps of {{lanes}}. The list below says the same.',
    { count: steps.length, lanes: lanes.join(', ') },
  )
  return (
    <figure
      className="story-picture"
      {...(height > TALLEST_PIXELS
        ? { tabIndex: 0, role: 'region', 'aria-label': t('Diagram') }
        : {})}
    >
      <Suspense fallback={<Loading />}>
        <Canvas drawing={drawing} label={label} height={height} />
      </Suspense>
    </figure>
  )
}

function storyOf(steps: readonly Step[]): Story {
  const names = lanesOf(steps)
  return {
    lanes: [...new Set(names.values())],
    steps: steps.map(({ at, title, reason, resource, bookings }, index) => ({
      at: localTime(at),
      title: titleWords(title),
      lane: names.get(resource.id) ?? inWords(resource.kind),
      pause: pauseWords(at - (steps[index - 1]?.at ?? at)),
      notes: [
        ...(reason === null ? [] : [reasonWords(reason)]),
        ...bookings.flatMap(({ sequence, asset, legs }) =>
          legs.map(({ type, quantity, account_label }) =>
            t('Booking {{sequence}}: {{type}} {{amount}} {{account}}', {
              sequence,
              type: inWords(type),
              amount: amountWords(quantity, asset),
              account: accountWords(account_label),
            }),
          ),
        ),
      ],
    })),
  }
}

/** More records than these have no room for a lane each: those of one kind share one. */
const MOST_LANES = 12

/** By its id, what a record is; several of one kind are counted. */
function lanesOf(steps: readonly Step[]): ReadonlyMap<string, string> {
  const kinds = new Map(steps.map(({ resource: { id, kind } }) => [id, kind]))
  if (kinds.size > MOST_LANES) return new Map([...kinds].map(([id, kind]) => [id, inWords(kind)]))
  const counted = new Map<string, number>()
  return new Map(
    [...kinds].map(([id, kind]) => {
      const count = (counted.get(kind) ?? 0) + 1
      counted.set(kind, count)
      return [id, count === 1 ? inWords(kind) : `${inWords(kind)} ${count}`]
    }),
  )
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long after the step before; nothing for what happened at once. */
function pauseWords(milliseconds: number): string {
  if (milliseconds < SECOND) return ''
  if (milliseconds < MINUTE)
    return t('{{seconds}} s later', { seconds: Math.floor(milliseconds / SECOND) })
  if (milliseconds < 2 * HOUR)
    return t('{{minutes}} min later', { minutes: Math.floor(milliseconds / MINUTE) })
  const hours = Math.floor(milliseconds / HOUR)
  return hours < 48
    ? t('{{hours}} h later', { hours })
    : t('{{days}} days later', { days: Math.floor(hours / 24) })
}
